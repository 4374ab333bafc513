internal import CSodium

/// Base64 of RFC 4648: the standard one of section 4, and that of section 5 for URLs.
package enum Base64 {
    /// The bytes of `text`, padded or not; white space at its end is trimmed, since one platform's SDK ends it with a newline.
    ///
    /// Nothing if a character is no digit, the padding is wrong, or spare bits are set.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        text.utf8.withContiguousStorageIfAvailable(decode(digits:))
            ?? Array(text.utf8).withUnsafeBufferPointer(decode)
    }

    /// The same of a part of an array.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        text.withUnsafeBufferPointer(decode(digits:))
    }

    /// The padded text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let variant = sodium_base64_VARIANT_ORIGINAL
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        var text = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(&text, capacity, bytes, bytes.count, variant)
        // The last character is a NUL.
        return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The text of `bytes` with the digits for URLs, without padding.
    package static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        var text = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(&text, capacity, bytes, bytes.count, variant)
        return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The bytes of a text with the digits for URLs; nothing if there is padding or white space, or spare bits are set.
    package static func decodeURLSafe(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3 + 3)
        var count = 0
        let digits = text.utf8.map(CChar.init(bitPattern:))
        let outcome = sodium_base642bin(
            &bytes, bytes.count, digits, digits.count, nil, &count, nil,
            sodium_base64_VARIANT_URLSAFE_NO_PADDING)
        guard outcome == 0 else { return nil }
        bytes.removeSubrange(count...)
        return bytes
    }

    private static func decode(digits text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var end = text.count
        while end > 0, isWhiteSpace(text[end - 1]) { end -= 1 }
        var padding = 0
        while end > 0, text[end - 1] == UInt8(ascii: "=") { (end, padding) = (end - 1, padding + 1) }
        guard padding == 0 || (padding <= 2 && (end + padding) % 4 == 0) else { return nil }
        guard end > 0, let start = text.baseAddress else { return [] }
        var bytes = [UInt8](repeating: 0, count: end / 4 * 3 + 3)
        var count = 0
        // Without a place for the end of what was read, libsodium succeeds only if all of the input was.
        let outcome = start.withMemoryRebound(to: CChar.self, capacity: end) { digits in
            sodium_base642bin(
                &bytes, bytes.count, digits, end, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
        }
        guard outcome == 0 else { return nil }
        bytes.removeSubrange(count...)
        return bytes
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
