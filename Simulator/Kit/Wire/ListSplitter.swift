/// A list's body cut into its messages and what is around them, without decoding either.
///
/// The same message reads the same in every list that shows it, so each of its spellings needs decoding once. Cutting
/// trusts nothing: if message and surroundings are both right JSON, then so was the whole.
package struct ListSplitter {
    /// Where the messages lie.
    package private(set) var messages: [Range<Int>] = []
    /// FNV-1a of each message's bytes.
    package private(set) var hashes: [UInt64] = []
    /// The body with a `0` in place of each message.
    package private(set) var envelope: [UInt8] = []

    package init(_ body: [UInt8]) {
        var scanner = Scanner()
        for index in body.indices {
            let byte = body[index]
            let wasInside = scanner.start != nil
            scanner.read(byte, at: index)
            if let start = scanner.start {
                if !wasInside { envelope.append(UInt8(ascii: "0")) }
                if scanner.isEnd {
                    messages.append(start..<index + 1)
                    hashes.append(scanner.hash)
                    scanner.start = nil
                }
            } else {
                envelope.append(byte)
            }
        }
    }
}

/// Knows how deep in a JSON text it is, and whether inside a string.
private struct Scanner {
    private(set) var hash: UInt64 = 0
    /// Where the message began that is being read.
    var start: Int?
    private var depth = 0
    private var isString = false
    private var isEscaped = false

    private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3
    /// A message is an object in an array in the outermost object.
    private static let messageDepth = 3

    /// Whether the byte just read ended the message.
    private(set) var isEnd = false

    mutating func read(_ byte: UInt8, at index: Int) {
        isEnd = false
        if isString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isString = false
            }
        } else if byte == UInt8(ascii: "\"") {
            isString = true
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            depth += 1
            if depth == Scanner.messageDepth, byte == UInt8(ascii: "{") {
                start = index
                hash = Scanner.seed
            }
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            isEnd = start != nil && depth == Scanner.messageDepth
            depth -= 1
        }
        if start != nil { hash = (hash ^ UInt64(byte)) &* Scanner.prime }
    }
}
