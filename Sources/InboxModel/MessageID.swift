package import Foundation

/// A message: the sixteen bytes of its push id, which on the wire has two spellings.
package struct MessageID: Hashable, Sendable {
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    /// Big-endian halves of the sixteen bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    // Written out to be inlinable: caches look messages up by the thousand.

    @inlinable package static func == (one: MessageID, other: MessageID) -> Bool {
        one.low == other.low && one.high == other.high
    }

    @inlinable package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }

    /// The message of a push id.
    package init(pushID uuid: UUID) {
        let bytes = uuid.uuid
        high = MessageID.half(bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7)
        low = MessageID.half(bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15)
    }

    /// Reads the 22 characters of a message id; nothing if they are not its one spelling.
    package init?(text: String.UTF8View) {
        let bytes = Array(text)
        guard bytes.count == Base64URL.textBytes else { return nil }
        self.init(bytes, at: 0)
    }

    /// Reads the 22 bytes of `bytes` from `start`; nothing if they are not there, or no message id.
    package init?(_ bytes: [UInt8], at start: Int) {
        guard start + Base64URL.textBytes <= bytes.count, let halves = Base64URL.halves(bytes, at: start)
        else {
            return nil
        }
        (high, low) = halves
    }

    /// Reads either spelling, message id or push id.
    package init?(wire text: String) {
        if let id = MessageID(text: text.utf8) {
            self = id
        } else if text.utf8.count == 36, let uuid = UUID(uuidString: text) {
            self.init(pushID: uuid)
        } else {
            return nil
        }
    }

    /// The message id's spelling: 22 characters of URL-safe base64.
    package var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Base64URL.textBytes)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The sixteen bytes as two big-endian numbers.
    package var halves: (high: UInt64, low: UInt64) { (high, low) }

    /// Appends the 22 characters of `text`.
    package func append(to bytes: inout [UInt8]) { Base64URL.append(high, low, to: &bytes) }

    /// The push id's spelling: a lower-case UUID.
    package var pushID: String { uuid.uuidString.lowercased() }

    private var uuid: UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
            bytes[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
        }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    private static func half(_ bytes: UInt8...) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
