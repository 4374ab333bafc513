import Platform

extension JSON {
    /// What a name that stands twice in one object means.
    package enum DuplicateNames: Sendable {
        case refuse
        /// The last value counts, at the place of the first.
        case lastWins
    }

    /// Arrays and objects within each other; deeper texts are refused before they use up the stack.
    package static let maximumDepth = 64

    /// Values of one text: each takes up to 40 bytes, so that a small text cannot fill the memory.
    package static let maximumValues = 250_000

    /// Reads one text strictly by RFC 8259: no comments, no trailing commas, valid UTF-8, paired surrogates.
    ///
    /// - Complexity: O(bytes); a value is copied once.
    package static func parse(
        _ bytes: [UInt8], duplicateNames: DuplicateNames = .refuse
    ) throws(JSONSyntaxError) -> JSON {
        var parser = JSONParser(bytes: bytes, duplicateNames: duplicateNames)
        return try parser.document()
    }
}

/// A cursor over the bytes of one text.
struct JSONParser {
    let bytes: [UInt8]
    let duplicateNames: JSON.DuplicateNames
    var position = 0
    private var depth = 0
    private var values = 0

    init(bytes: [UInt8], duplicateNames: JSON.DuplicateNames) {
        self.bytes = bytes
        self.duplicateNames = duplicateNames
    }

    mutating func document() throws(JSONSyntaxError) -> JSON {
        skipSpace()
        guard next != nil else { throw error("the body is empty") }
        let value = try value()
        skipSpace()
        guard next == nil else { throw error("more text after the value") }
        return value
    }

    /// The byte at the cursor; nothing at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String, at place: Int? = nil) -> JSONSyntaxError {
        let before = bytes.prefix(place ?? position)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return JSONSyntaxError(line: line, column: before.count - lineStart + 1, reason: reason)
    }

    private mutating func value() throws(JSONSyntaxError) -> JSON {
        values += 1
        guard values <= JSON.maximumValues else { throw error("more than \(JSON.maximumValues) values") }
        switch next {
        case UInt8(ascii: "{"):
            return .object(try nested { parser throws(JSONSyntaxError) in try parser.members() })
        case UInt8(ascii: "["):
            return .array(try nested { parser throws(JSONSyntaxError) in try parser.elements() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number(try number())
        case nil: throw error("the text ends where a value is expected")
        default: throw error("a value is expected here")
        }
    }

    /// Runs `read` behind an opening bracket, one level deeper.
    private mutating func nested<Content>(
        _ read: (inout JSONParser) throws(JSONSyntaxError) -> Content
    ) throws(JSONSyntaxError) -> Content {
        guard depth < JSON.maximumDepth else { throw error("more than \(JSON.maximumDepth) levels deep") }
        depth += 1
        position += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func elements() throws(JSONSyntaxError) -> [JSON] {
        var found: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return found }
        while true {
            skipSpace()
            found.append(try value())
            skipSpace()
            if take(UInt8(ascii: "]")) { return found }
            guard take(UInt8(ascii: ",")) else { throw error("a comma or ] is expected here") }
        }
    }

    private mutating func members() throws(JSONSyntaxError) -> [JSONMember] {
        var found = ObjectMembers(duplicateNames: duplicateNames)
        skipSpace()
        if take(UInt8(ascii: "}")) { return [] }
        while true {
            skipSpace()
            let start = position
            guard next == UInt8(ascii: "\"") else { throw error("a name in quotes is expected here") }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("a colon is expected here") }
            skipSpace()
            guard found.add(name, try value()) else {
                throw error("a name stands twice in one object", at: start)
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return found.members }
            guard take(UInt8(ascii: ",")) else { throw error("a comma or } is expected here") }
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        let text = word.description.utf8
        guard bytes[position...].starts(with: text) else { throw error("a value is expected here") }
        position += text.count
        return value
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Steps over `byte`, if it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }
}

/// Members of the object that is being read.
///
/// Names are equal as Swift strings are, by canonical equivalence: maps that are made of them could not hold both.
private struct ObjectMembers {
    let duplicateNames: JSON.DuplicateNames
    var members: [JSONMember] = []
    private var places: [String: Int] = [:]
    private var isIndexed = false

    init(duplicateNames: JSON.DuplicateNames) { self.duplicateNames = duplicateNames }

    /// False if the name is there already and that is refused.
    mutating func add(_ name: String, _ value: JSON) -> Bool {
        guard let place = place(of: name) else {
            if isIndexed { places[name] = members.count }
            members.append(JSONMember(name, value))
            return true
        }
        members[place].value = value
        return duplicateNames == .lastWins
    }

    /// A few plain names are searched; others are looked up, for no object may cost O(n²), and what is not ASCII is
    /// slow to compare.
    private mutating func place(of name: String) -> Int? {
        if !isIndexed {
            if members.count < ObjectMembers.searched, name.utf8.allSatisfy({ $0 < 0x80 }) {
                return members.firstIndex { $0.name == name }
            }
            isIndexed = true
            for (place, member) in members.enumerated() { places[member.name] = place }
        }
        return places[name]
    }

    private static let searched = 16
}
