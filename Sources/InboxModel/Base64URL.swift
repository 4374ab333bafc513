/// URL-safe base64 without padding: sixteen bytes as 22 characters, the form of message and user ids, and texts of any length.
///
/// Here and not in a library, because lists carry thousands of ids a second and this needs no allocation.
package enum Base64URL {
    /// Characters that sixteen bytes take.
    package static let textBytes = 22

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Whether `byte` is one of the 64 digits.
    package static func isDigit(_ byte: UInt8) -> Bool { values[Int(byte)] != 0xFF }

    /// The text of sixteen bytes given as two big-endian halves.
    package static func append(_ high: UInt64, _ low: UInt64, to text: inout [UInt8]) {
        // 128 bits in 21 groups of six and a last one of two, padded with zeros on the right.
        for shift in stride(from: 122, through: 2, by: -6) {
            text.append(digits[Int(bits(high, low, at: shift))])
        }
        text.append(digits[Int(low & 0x3) << 4])
    }

    /// The two halves of the 22 digits from `start`, which the caller has counted.
    ///
    /// Nothing if a byte is no digit or a padding bit is set: each id has one spelling. Over an array, since a generic
    /// sequence costs ten times as much.
    static func halves(_ bytes: [UInt8], at start: Int) -> (high: UInt64, low: UInt64)? {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in start..<start + textBytes - 1 {
            let value = values[Int(bytes[index])]
            guard value != 0xFF else { return nil }
            high = high << 6 | low >> 58
            low = low << 6 | UInt64(value)
        }
        let last = values[Int(bytes[start + textBytes - 1])]
        guard last & 0xCF == 0 else { return nil }  // two bits, then four of padding
        return (high << 2 | low >> 62, low << 2 | UInt64(last >> 4))
    }

    /// The bytes of a text of any length.
    ///
    /// Nothing if a byte is no digit, the length is none that bytes have, or a spare bit is set: each value has one spelling.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var pendingBits = 0
        for digit in text {
            let value = values[Int(digit)]
            guard value != 0xFF else { return nil }
            pending = pending << 6 | UInt32(value)
            pendingBits += 6
            guard pendingBits >= 8 else { continue }
            pendingBits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
            pending &= 1 << UInt32(pendingBits) - 1
        }
        return pendingBits < 6 && pending == 0 ? bytes : nil
    }

    /// The text of any bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 1)
        var pending: UInt32 = 0
        var pendingBits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            pendingBits += 8
            while pendingBits >= 6 {
                pendingBits -= 6
                text.append(digits[Int(pending >> UInt32(pendingBits) & 0x3F)])
            }
            pending &= 1 << UInt32(pendingBits) - 1
        }
        if pendingBits > 0 { text.append(digits[Int(pending << UInt32(6 - pendingBits))]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bits(_ high: UInt64, _ low: UInt64, at shift: Int) -> UInt64 {
        if shift >= 64 { return high >> (shift - 64) & 0x3F }
        return (low >> shift | (shift > 58 ? high << (64 - shift) : 0)) & 0x3F
    }
}
