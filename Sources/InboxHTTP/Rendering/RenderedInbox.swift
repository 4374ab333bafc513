import Crypto
import InboxModel
import InboxService
import Platform

/// The whole inbox of `/v1` as it was last rendered for a reader, and what it was made of.
struct RenderedInbox: Sendable {
    var point: ViewPoint
    var tag: InboxTag
    var body: [UInt8]
}

/// The entity tag of an inbox: it names the state, the query and the moment, so that equal tags have equal bytes.
///
/// Nothing needs to be looked up to hold it against the present: it says itself until when it is good.
struct InboxTag: Hashable, Sendable {
    /// Sixteen bytes that stand for state, rendering and query.
    var digest: [UInt8]
    /// When the inbox was rendered: its cursor says so.
    var time: Instant
    var soonestExpiry: Instant?

    /// - Parameters:
    ///   - validator: of the state; see `ViewState.validator`.
    ///   - query: what was asked for, in a spelling of our own.
    static func digest(_ validator: [UInt8], types: DeviceTypes, query: String) -> [UInt8] {
        let text = Array("\(types.rawValue) \(query)".utf8)
        return Array(SHA256.digest(validator + text)[..<digestBytes])
    }

    init(digest: [UInt8], time: Instant, soonestExpiry: Instant?) {
        self.digest = digest
        self.time = time
        self.soonestExpiry = soonestExpiry
    }

    /// Reads a tag with its quotes; nothing if it is none of ours.
    init?(text: Substring) {
        guard text.utf8.count == InboxTag.textBytes, text.first == "\"", text.last == "\"",
            let bytes = Base64.decodeURLSafe(String(text.dropFirst().dropLast())),
            bytes.count == InboxTag.digestBytes + 16
        else { return nil }
        digest = Array(bytes[..<InboxTag.digestBytes])
        time = Instant(rawValue: InboxTag.number(bytes[InboxTag.digestBytes..<InboxTag.digestBytes + 8]))
        let expiry = InboxTag.number(bytes[(InboxTag.digestBytes + 8)...])
        soonestExpiry = expiry == .max ? nil : Instant(rawValue: expiry)
    }

    /// In quotes, as it travels.
    var text: String {
        var bytes = digest
        for number in [time.rawValue, soonestExpiry?.rawValue ?? .max] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
            }
        }
        return "\"\(Base64.encodeURLSafe(bytes))\""
    }

    /// Whether what it was given for would be rendered again, its cursor aside, which is good for a month.
    func isCurrent(_ digest: [UInt8], at now: Instant) -> Bool {
        self.digest == digest && soonestExpiry.map { now < $0 } ?? true
            && (0..<InboxTag.renewalMicroseconds).contains(now.rawValue - time.rawValue)
    }

    /// Age at which an inbox is given out anew, so that its cursor does not grow old in a client's cache.
    private static let renewalMicroseconds: Int64 = 86_400 * 1_000_000
    private static let digestBytes = 16
    private static let textBytes = 45

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
