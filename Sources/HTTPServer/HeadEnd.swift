/// Finds the blank line that ends a request's head, in pieces as they arrive.
///
/// evhttp does not say when a head is complete, and head and body have deadlines of their own. Lines end by LF, with or
/// without CR, as evhttp takes them.
struct HeadEnd {
    private enum Line {
        case empty, carriageReturn, text
    }

    // The first line cannot be blank: evhttp refuses that.
    private var line = Line.text

    /// Whether the head ends in these bytes, the next ones of the request.
    mutating func isFound(in bytes: UnsafeRawBufferPointer) -> Bool {
        if endsBlank(bytes) { return true }
        for byte in bytes {
            switch (byte, line) {
            case (UInt8(ascii: "\n"), .empty), (UInt8(ascii: "\n"), .carriageReturn): return true
            case (UInt8(ascii: "\n"), .text): line = .empty
            case (UInt8(ascii: "\r"), .empty): line = .carriageReturn
            default: line = .text
            }
        }
        return false
    }

    /// The usual case: a request without a body arrives in one piece.
    private func endsBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        return count >= 4 && bytes[count - 1] == UInt8(ascii: "\n") && bytes[count - 2] == UInt8(ascii: "\r")
            && bytes[count - 3] == UInt8(ascii: "\n") && bytes[count - 4] == UInt8(ascii: "\r")
    }
}
