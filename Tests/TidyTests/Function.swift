/// What the house bounds of one `func`, `init`, `deinit` or `subscript` with a body.
struct Function: Equatable {
    /// `func`, `init`, `deinit` or `subscript`: names may be raw identifiers, which the mask has blanked.
    var keyword: String
    /// Line of the keyword, from 1.
    var line: Int
    /// Lines between the braces of the body.
    var bodyLines: Int
    var parameters: Int
    /// Branches and loops that stand within one another, 0 for straight-line work; closures do not count.
    var nesting: Int

    /// All functions in masked code, in the order of their keywords.
    static func all(in code: String) -> [Function] {
        let tokens = Token.all(in: code)
        return tokens.indices.compactMap { Function(at: $0, in: tokens) }
    }

    private init?(at start: Int, in tokens: [Token]) {
        guard ["func", "init", "deinit", "subscript"].contains(tokens[start].text),
            start == 0 || tokens[start - 1].text != "."
        else { return nil }
        keyword = tokens[start].text
        line = tokens[start].line
        parameters = 0

        var next = start + 1
        if keyword != "deinit" {
            while next < tokens.count, tokens[next].text != "(" { next += 1 }
            guard let list = Self.parameterList(from: next, in: tokens) else { return nil }
            parameters = list.count
            next = list.end
        }
        guard let open = Self.bodyStart(from: next, in: tokens),
            let close = Self.matchingBrace(from: open, in: tokens)
        else { return nil }
        bodyLines = max(0, tokens[close].line - tokens[open].line - 1)
        nesting = Self.nesting(in: tokens[open + 1..<close])
    }

    /// The number of parameters between the parenthesis at `open` and its partner, and the index after that.
    private static func parameterList(from open: Int, in tokens: [Token]) -> (count: Int, end: Int)? {
        var depth = 0
        var commas = 0
        var index = open
        while index < tokens.count {
            switch tokens[index].text {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}", ">": depth -= 1
            case "," where depth == 1: commas += 1
            default: break
            }
            index += 1
            if depth == 0 { return (index == open + 2 ? 0 : commas + 1, index) }
        }
        return nil
    }

    /// The brace that opens the body, or nil for a protocol's requirement, which ends with its line.
    private static func bodyStart(from start: Int, in tokens: [Token]) -> Int? {
        var depth = 0
        for index in start..<max(start, tokens.count) {
            let text = tokens[index].text
            let startsLine = tokens[index].line > tokens[index - 1].line
            if startsLine, depth == 0, !continuers.contains(text), !openEnded.contains(tokens[index - 1].text)
            {
                return nil
            }
            switch text {
            case "{" where depth == 0: return index
            case "}" where depth == 0: return nil
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            default: break
            }
        }
        return nil
    }

    private static let continuers: Set = ["->", "where", "{", "async", "throws", "rethrows"]
    private static let openEnded: Set = ["->", "where", ",", ":", "&", "=", "."]

    private static func matchingBrace(from open: Int, in tokens: [Token]) -> Int? {
        var depth = 0
        return tokens[open...].firstIndex { token in
            if token.text == "{" { depth += 1 }
            if token.text == "}" { depth -= 1 }
            return depth == 0
        }
    }

    private static let branches: Set = [
        "if", "else", "for", "while", "switch", "do", "catch", "repeat", "guard", "defer",
    ]

    private static func nesting(in body: ArraySlice<Token>) -> Int {
        var deepest = 0
        var braces: [Bool] = []  // true for those of a branch or loop
        var parentheses = 0
        var keywordAt: Int?  // the depth of parentheses at which a branch waits for its brace
        for index in body.indices {
            let text = body[index].text
            switch text {
            case "(", "[":
                parentheses += 1
            case ")", "]":
                parentheses -= 1
                if let depth = keywordAt, depth > parentheses { keywordAt = nil }
            case "{":
                braces.append(keywordAt == parentheses)
                if keywordAt == parentheses { keywordAt = nil }
                deepest = max(deepest, braces.count(where: { $0 }))
            case "}":
                _ = braces.popLast()
            default:
                if branches.contains(text), isKeyword(index, in: body) { keywordAt = parentheses }
            }
        }
        return deepest
    }

    /// False for `.repeat`, `#if` and the label `for:`.
    private static func isKeyword(_ index: Int, in body: ArraySlice<Token>) -> Bool {
        let before = index > body.startIndex ? body[index - 1].text : ""
        let after = index + 1 < body.endIndex ? body[index + 1].text : ""
        return before != "." && before != "#" && after != ":"
    }
}

/// A word, an arrow, or one other character of masked code.
private struct Token {
    var text: String
    var line: Int

    static func all(in code: String) -> [Token] {
        var tokens: [Token] = []
        var word: [UInt8] = []
        var line = 1
        func endWord() {
            if !word.isEmpty { tokens.append(Token(text: String(decoding: word, as: UTF8.self), line: line)) }
            word = []
        }
        for byte in code.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
                word.append(byte)
            case UInt8(ascii: "\n"):
                endWord()
                line += 1
            case UInt8(ascii: " "):
                endWord()
            case UInt8(ascii: ">") where word.isEmpty && tokens.last?.text == "-":
                tokens[tokens.count - 1].text = "->"
            default:
                endWord()
                tokens.append(Token(text: String(UnicodeScalar(byte)), line: line))
            }
        }
        endWord()
        return tokens
    }
}
