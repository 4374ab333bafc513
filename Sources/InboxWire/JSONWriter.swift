package import InboxModel

/// Writes JSON as bytes: commas by itself, strings escaped, nothing allocated per value.
///
/// Who calls it sees to it that names and values alternate within an object.
package struct JSONWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8]
    private var needsComma = false

    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// The bytes of one value.
    package static func bytes(capacity: Int = 256, _ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        write(&writer)
        return writer.bytes
    }

    /// Writes an object; `content` writes its members.
    package mutating func object(_ content: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        content(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array; `content` writes its elements.
    package mutating func array(_ content: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        content(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes a member's name and the colon behind it.
    package mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func value(_ text: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func value(_ number: Int64) {
        comma()
        appendDigits(number)
    }

    package mutating func value(_ number: Int) { value(Int64(number)) }

    package mutating func value(_ truth: Bool) { word(truth ? "true" : "false") }

    /// A message's id in quotes, as it stands.
    package mutating func value(_ id: MessageID) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        id.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func null() { word("null") }

    /// A value that is JSON already.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        comma()
        bytes += json
    }

    private mutating func word(_ word: String) {
        comma()
        bytes += word.utf8
    }

    private mutating func open(_ bracket: UInt8) {
        comma()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// What stands between the last value and the next.
    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func appendDigits(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = number.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func appendEscaped(_ text: String) {
        // Most strings need no escape and are copied as one block.
        guard text.utf8.contains(where: JSONWriter.needsEscape) else {
            bytes += text.utf8
            return
        }
        for byte in text.utf8 {
            if JSONWriter.needsEscape(byte) { appendEscape(byte) } else { bytes.append(byte) }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes += "u00".utf8
            bytes += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        default: bytes.append(byte)
        }
    }
}

extension JSONWriter {
    package mutating func member(_ name: String, _ text: String) {
        self.name(name)
        value(text)
    }

    package mutating func member(_ name: String, _ number: Int) {
        self.name(name)
        value(number)
    }

    package mutating func member(_ name: String, _ truth: Bool) {
        self.name(name)
        value(truth)
    }

    /// The text, or null.
    package mutating func member(_ name: String, orNull text: String?) {
        self.name(name)
        if let text { value(text) } else { null() }
    }

    package mutating func member(_ name: String, _ texts: [String]) {
        array(name) { writer in for text in texts { writer.value(text) } }
    }

    /// A map in the order of its keys' bytes, so that equal maps are equal bytes.
    package mutating func member(_ name: String, _ map: [String: String]) {
        object(name) { writer in
            for (key, text) in map.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                writer.member(key, text)
            }
        }
    }

    /// A member that is an object.
    package mutating func object(_ name: String, _ content: (inout JSONWriter) -> Void) {
        self.name(name)
        object(content)
    }

    /// A member that is an array.
    package mutating func array(_ name: String, _ content: (inout JSONWriter) -> Void) {
        self.name(name)
        array(content)
    }

    /// A parsed value, as it came.
    package mutating func value(_ json: JSON) {
        switch json {
        case .null: null()
        case .bool(let truth): value(truth)
        case .number(let number): raw(number.text.utf8)
        case .string(let text): value(text)
        case .array(let elements):
            array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.name(member.name)
                    writer.value(member.value)
                }
            }
        }
    }
}
