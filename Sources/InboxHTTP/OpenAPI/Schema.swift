/// What a JSON value looks like, as far as JSON Schema can say it.
package indirect enum Schema: Hashable, Sendable {
    case anything
    /// An object; a closed one has no other members, an open one may get more with time.
    case object([SchemaMember], isClosed: Bool)
    case array(of: Schema, atLeast: Int?, atMost: Int?)
    case text(TextRule)
    case integer(atLeast: Int64?, atMost: Int64?)
    case number
    case boolean
    case null
    /// One of these texts.
    case words([String])
    /// This value and no other.
    case always(Bool)
    /// An object with any keys.
    case map(of: Schema, atMost: Int?)
    /// Exactly one of them fits.
    case oneOf([Schema])
    /// The value, or null.
    case nullable(Schema)
    /// A schema that stands under its name in the document's components; elsewhere only the name stands.
    case named(String, Schema)
    /// The schema that stands somewhere under this name: for those that hold themselves.
    case reference(String)
}

/// A member of an object.
package struct SchemaMember: Hashable, Sendable {
    var name: String
    var schema: Schema
    var meaning: String?
    var isRequired: Bool

    /// A member that is always there.
    static func member(_ name: String, _ schema: Schema, _ meaning: String? = nil) -> Self {
        Self(name: name, schema: schema, meaning: meaning, isRequired: true)
    }

    /// A member that may be absent.
    static func optional(_ name: String, _ schema: Schema, _ meaning: String? = nil) -> Self {
        Self(name: name, schema: schema, meaning: meaning, isRequired: false)
    }
}

/// What is known of a text; lengths count characters, while many limits count bytes.
package struct TextRule: Hashable, Sendable {
    var format: String?
    /// A regular expression for the whole text, with its anchors.
    var pattern: String?
    var atLeast: Int?
    var atMost: Int?
}

extension Schema {
    /// An object of an answer: clients ignore members that they do not know.
    static func object(_ members: [SchemaMember]) -> Schema { .object(members, isClosed: false) }

    /// An object of a request: members that are not known are refused.
    static func request(_ members: [SchemaMember]) -> Schema { .object(members, isClosed: true) }

    static func array(_ schema: Schema, atMost: Int? = nil) -> Schema {
        .array(of: schema, atLeast: nil, atMost: atMost)
    }

    static func map(_ schema: Schema) -> Schema { .map(of: schema, atMost: nil) }

    static let string = Schema.text(TextRule())

    /// A text of so many characters.
    static func string(_ length: ClosedRange<Int>) -> Schema {
        .text(TextRule(atLeast: length.lowerBound, atMost: length.upperBound))
    }

    /// A text with at least one character and, in UTF-8, at most so many bytes.
    static func string(bytes: Int) -> Schema { .string(1...max(bytes, 1)) }

    /// A text that a regular expression describes as a whole.
    static func string(matching pattern: String) -> Schema { .text(TextRule(pattern: "^\(pattern)$")) }

    static func string(format: String) -> Schema { .text(TextRule(format: format)) }

    static func integer(_ range: ClosedRange<Int64>) -> Schema {
        .integer(atLeast: range.lowerBound, atMost: range.upperBound)
    }

    /// How many: zero or more.
    static let count = Schema.integer(atLeast: 0, atMost: nil)

    // What the API's nouns look like.

    /// `2026-11-30T20:00:00.000Z`, in answers.
    static let time = Schema.string(format: "date-time")
    static let messageID = Schema.string(matching: "[A-Za-z0-9_-]{21}[AQgw]")
    static let userID = messageID
    static let uuid = Schema.string(format: "uuid")
    /// A state of a view or a place in a list: to be sent back as it came.
    static let opaque = Schema.string(1...512)
    static let namedUserID = Schema.string(1...128)
}
