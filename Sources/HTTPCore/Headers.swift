/// The fields of a request or response in their order and spelling, in one packed buffer.
///
/// A request's dozen fields cost one allocation; strings are made of those that somebody asks for. Names are
/// compared without regard to ASCII case.
package struct Headers: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    // Each field: its name's length in 2 bytes, its value's in 4 (lowest first), name, NUL, value, NUL. The NULs
    // make both usable as C strings.
    private var packed: [UInt8] = []

    /// How many bytes a field needs beside its name and value.
    private static let frame = 8

    /// No fields.
    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// No fields yet, but room for `count` of them with `bytes` in names and values together.
    package init(reservingFields count: Int, bytes: Int) {
        packed.reserveCapacity(bytes + count * Self.frame)
    }

    /// The value of the first field with this name.
    ///
    /// Bytes that are no UTF-8 show as U+FFFD. Setting replaces all fields of that name by one at the end; `nil`
    /// removes them.
    package subscript(name: String) -> String? {
        get {
            var next = 0
            while let field = field(at: &next) {
                if equals(field.name, name) { return text(field.value) }
            }
            return nil
        }
        set {
            remove(name)
            if let newValue { add(name, newValue) }
        }
    }

    /// The values of all fields with this name, in order.
    package func values(of name: String) -> [String] {
        fields { equals($0.name, name) }.map { text($0.value) }
    }

    /// Adds a field after the others.
    package mutating func add(_ name: String, _ value: String) {
        begin(nameBytes: name.utf8.count, valueBytes: value.utf8.count)
        packed.append(contentsOf: name.utf8)
        packed.append(0)
        packed.append(contentsOf: value.utf8)
        packed.append(0)
    }

    /// Adds a field whose name and value are copied from where they lie.
    package mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        begin(nameBytes: name.count, valueBytes: value.count)
        unsafe packed.append(contentsOf: name)
        packed.append(0)
        unsafe packed.append(contentsOf: value)
        packed.append(0)
    }

    /// Removes all fields with this name.
    package mutating func remove(_ name: String) {
        let kept = fields { !equals($0.name, name) }
        var rest = Headers()
        for field in kept { rest.packed += packed[field.start..<field.end] }
        self = rest
    }

    /// Whether there is no field.
    package var isEmpty: Bool {
        packed.isEmpty
    }

    /// All fields in order, with their names as they were spelled.
    package var all: [(name: String, value: String)] {
        fields { _ in true }.map { (text($0.name), text($0.value)) }
    }

    /// Calls `body` with each field's name and value in order; both are followed by a NUL and valid during the call.
    package func forEach(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        unsafe packed.withUnsafeBufferPointer { packed in
            var next = 0
            while let field = field(at: &next) {
                unsafe body(
                    UnsafeBufferPointer(rebasing: packed[field.name]),
                    UnsafeBufferPointer(rebasing: packed[field.value]))
            }
        }
    }

    // MARK: The packed form

    /// Where a field lies in `packed`.
    private struct Field {
        let start: Int
        let name: Range<Int>
        let value: Range<Int>

        var end: Int { value.upperBound + 1 }
    }

    private mutating func begin(nameBytes: Int, valueBytes: Int) {
        precondition(nameBytes <= UInt16.max && valueBytes <= UInt32.max, "the server limits the head")
        packed.append(UInt8(truncatingIfNeeded: nameBytes))
        packed.append(UInt8(truncatingIfNeeded: nameBytes >> 8))
        packed.append(UInt8(truncatingIfNeeded: valueBytes))
        packed.append(UInt8(truncatingIfNeeded: valueBytes >> 8))
        packed.append(UInt8(truncatingIfNeeded: valueBytes >> 16))
        packed.append(UInt8(truncatingIfNeeded: valueBytes >> 24))
    }

    /// The field that starts at `next`, which then stands at the one after it.
    private func field(at next: inout Int) -> Field? {
        guard next < packed.count else { return nil }
        let nameBytes = Int(packed[next]) | Int(packed[next + 1]) << 8
        let valueBytes =
            Int(packed[next + 2]) | Int(packed[next + 3]) << 8 | Int(packed[next + 4]) << 16
            | Int(packed[next + 5]) << 24
        let name = next + 6
        let value = name + nameBytes + 1
        let field = Field(start: next, name: name..<value - 1, value: value..<value + valueBytes)
        next = field.end
        return field
    }

    private func fields(where isWanted: (Field) -> Bool) -> [Field] {
        var found: [Field] = []
        var next = 0
        while let field = field(at: &next) {
            if isWanted(field) { found.append(field) }
        }
        return found
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: packed[range], as: UTF8.self)
    }

    /// Whether the bytes there are the given name, without regard to ASCII case.
    private func equals(_ range: Range<Int>, _ name: String) -> Bool {
        guard range.count == name.utf8.count else { return false }
        var index = range.lowerBound
        for byte in name.utf8 {
            guard lowercased(packed[index]) == lowercased(byte) else { return false }
            index += 1
        }
        return true
    }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}
