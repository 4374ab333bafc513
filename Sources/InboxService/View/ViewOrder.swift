package import InboxModel
package import Platform

/// What decides whether and where a view shows a message, besides who holds it; it never changes.
package struct MessageFacts: Hashable, Sendable {
    package var sent: Instant
    package var expires: Instant
    package var deviceTypes: DeviceTypes
    /// The person that `extra` names, if it names one.
    package var target: NameDigest?

    package init(sent: Instant, expires: Instant, deviceTypes: DeviceTypes, target: NameDigest? = nil) {
        self.sent = sent
        self.expires = expires
        self.deviceTypes = deviceTypes
        self.target = target
    }

    package init(_ head: MessageHead) {
        self.init(
            sent: head.sent, expires: head.expires, deviceTypes: head.deviceTypes,
            target: head.extra[ViewFilter.key].map { NameDigest($0) })
    }

    /// Whether a device of these types may show the message at `now`: from the moment of expiry nobody may.
    package func isShown(on types: DeviceTypes, at now: Instant) -> Bool {
        now < expires && !deviceTypes.isDisjoint(with: types)
    }
}

extension ListPosition: Comparable {
    /// List order: sent descending in milliseconds, then the message id as ASCII text ascending.
    package static func < (one: ListPosition, other: ListPosition) -> Bool {
        let (sent, otherSent) = (one.sent.milliseconds, other.sent.milliseconds)
        guard sent == otherSent else { return sent > otherSent }
        guard one.message != other.message else { return false }
        // Rare, and the order of digits in the alphabet is not that of ASCII: so by the text itself.
        var (text, otherText): ([UInt8], [UInt8]) = ([], [])
        one.message.append(to: &text)
        other.message.append(to: &otherText)
        return text.lexicographicallyPrecedes(otherText)
    }
}
