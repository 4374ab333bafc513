package import InboxModel

/// A request to log a channel in as a person, as a backend or a device sends it.
package struct AssociationRequest: Sendable {
    package var channel: ChannelID
    package var namedUser: NamedUserID
    /// What a device shows for it; a backend need not.
    package var claim: IdentityClaim

    package init(_ body: [UInt8], limits: Limits) throws(InboxError) {
        let root = try JSONField(body: body)
        channel = try root.associatedChannel()
        let person = try root.required("named_user_id")
        namedUser = try NamedUserID(try person.string(), field: person.path)
        claim = try IdentityClaim(beside: root, limits: limits)
    }
}

/// A request to log a channel out.
package struct DisassociationRequest: Sendable {
    package var channel: ChannelID
    /// The one who must be logged in, if one is named.
    package var namedUser: NamedUserID?

    /// Reads a body that may name a person; null and an empty text name nobody.
    package init(_ body: [UInt8]) throws(InboxError) {
        let root = try JSONField(body: body)
        channel = try root.associatedChannel()
        if let person = root.member(unlessNull: "named_user_id"), person.value != .string("") {
            namedUser = try NamedUserID(try person.string(), field: person.path)
        }
    }
}

extension JSONField {
    fileprivate func associatedChannel() throws(InboxError) -> ChannelID {
        guard case .object = value else { throw wrongKind("an object") }
        if let email = member(unlessNull: "email_address") {
            throw email.invalid("e-mail channels are not supported")
        }
        let id = try required("channel_id")
        guard let channel = ChannelID(text: try id.string()) else {
            throw id.invalid("must be a channel's UUID")
        }
        // The type is known from the channel's registration; published clients send it or leave it out.
        _ = try member(unlessNull: "device_type")?.string()
        return channel
    }
}
