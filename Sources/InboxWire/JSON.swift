/// A JSON value as it was sent: objects keep their order, numbers their spelling.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object([JSONMember])

    /// The value of an object's member; nothing if there is none or this is no object.
    package subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// What the value is, for an error text: `a string`, `an array`.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One name and value of an object.
package struct JSONMember: Hashable, Sendable {
    package var name: String
    package var value: JSON

    package init(_ name: String, _ value: JSON) {
        self.name = name
        self.value = value
    }
}

/// A number with the spelling it was sent in, so that nothing is rounded on the way through.
package struct JSONNumber: Hashable, Sendable {
    /// Digits as they came, such as `1`, `-0.5` or `1e3`.
    package let text: String

    /// A number whose spelling a parser has checked.
    package init(text: String) { self.text = text }

    package init(_ value: Int64) { text = String(value) }

    /// The value, if it is written as a whole number (no fraction, no exponent) and fits.
    package var int64: Int64? { Int64(text) }

    /// The nearest double; nothing if it is out of range.
    package var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}

/// Where a text stops being JSON.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    /// Counted from 1.
    package let line: Int
    /// In bytes, counted from 1.
    package let column: Int
    package let reason: String

    package init(line: Int, column: Int, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }
}
