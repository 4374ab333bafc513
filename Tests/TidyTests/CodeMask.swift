/// Swift text in which comments, string literals and raw identifiers are blank, line for line and byte for byte.
///
/// What is left can be searched for words and braces without finding those that a sentence or a literal holds.
/// Regular expression literals are not known to it.
struct CodeMask {
    private let source: [UInt8]
    private var masked: [UInt8]
    private var position = 0

    /// The text of `source` with everything blank that is not code.
    static func code(of source: String) -> String {
        var mask = CodeMask(source)
        while mask.position < mask.source.count { mask.step() }
        return String(decoding: mask.masked, as: UTF8.self)
    }

    private init(_ text: String) {
        source = Array(text.utf8)
        masked = source
    }

    private mutating func step() {
        if isAt("//") {
            while position < source.count, source[position] != UInt8(ascii: "\n") { blank(1) }
        } else if isAt("/*") {
            blankComment()
        } else if let hashes = hashesOfLiteral() {
            blankLiteral(hashes: hashes)
        } else if isAt("`") {
            blank(1)
            while position < source.count, !isAt("`") { blank(1) }
            blank(1)
        } else {
            position += 1
        }
    }

    /// Block comments nest in Swift.
    private mutating func blankComment() {
        var depth = 0
        repeat {
            if isAt("/*") { depth += 1 }
            if isAt("*/") { depth -= 1 }
            blank(isAt("/*") || isAt("*/") ? 2 : 1)
        } while depth > 0 && position < source.count
    }

    private func hashesOfLiteral() -> Int? {
        var end = position
        while end < source.count, source[end] == UInt8(ascii: "#") { end += 1 }
        return end < source.count && source[end] == UInt8(ascii: "\"") ? end - position : nil
    }

    private mutating func blankLiteral(hashes count: Int) {
        let hashes = String(repeating: "#", count: count)
        blank(count)
        let quotes = isAt("\"\"\"") ? "\"\"\"" : "\""
        blank(quotes.utf8.count)
        while position < source.count, !isAt(quotes + hashes) {
            if isAt("\\" + hashes + "(") {
                blank(count + 2)
                blankInterpolation()
            } else {
                blank(isAt("\\" + hashes) ? count + 2 : 1)
            }
        }
        blank(quotes.utf8.count + count)
    }

    /// Blanks up to the parenthesis that ends an interpolation; literals within it may hold parentheses.
    private mutating func blankInterpolation() {
        var depth = 1
        while position < source.count, depth > 0 {
            if let hashes = hashesOfLiteral() {
                blankLiteral(hashes: hashes)
                continue
            }
            if isAt("(") { depth += 1 }
            if isAt(")") { depth -= 1 }
            blank(1)
        }
    }

    private func isAt(_ text: String) -> Bool {
        let bytes = text.utf8
        guard position + bytes.count <= source.count else { return false }
        return bytes.elementsEqual(source[position..<position + bytes.count])
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where position < source.count {
            if source[position] != UInt8(ascii: "\n") { masked[position] = UInt8(ascii: " ") }
            position += 1
        }
    }
}
