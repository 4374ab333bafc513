/// One statement: text from literals only, each interpolation a binary parameter.
///
/// `SELECT title FROM messages WHERE app_id = \(app)` becomes `… WHERE app_id = $1` and one parameter. The
/// text between is `StaticString`, so nothing that came from outside can become SQL; statements that depend
/// on input are joined from pieces by `+` or by interpolating another `SQL`. The addresses of the pieces and
/// the types of the parameters are the key under which a connection keeps the statement prepared.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    var pieces: [Piece] = []
    var parameters: [Parameter] = []
    /// The binary values of all parameters, one after another.
    var values: [UInt8] = []

    package init(stringLiteral value: StaticString) {
        append(value)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// The statement that begins with `left` and goes on with `right`, whose parameters count on from
    /// `left`'s.
    package static func + (left: SQL, right: SQL) -> SQL {
        var sum = left
        sum.append(right)
        return sum
    }

    /// Adds `right` at the end.
    package mutating func append(_ right: SQL) {
        let start = values.count
        pieces += right.pieces
        values += right.values
        for parameter in right.parameters {
            var moved = parameter
            moved.offset += start
            parameters.append(moved)
        }
    }

    /// Values that travel beside the text; at most `parameterLimit`.
    package var parameterCount: Int { parameters.count }

    /// The text with `$1`, `$2` … in the places of the parameters.
    package var text: String {
        var text = ""
        var number = 0
        for piece in pieces {
            switch piece {
            case .text(let literal):
                text += literal.description
            case .parameter:
                number += 1
                text += "$\(number)"
            }
        }
        return text
    }

    private mutating func append(_ literal: StaticString) {
        guard literal.utf8CodeUnitCount > 0 else { return }
        pieces.append(.text(Literal(literal)))
    }

    private mutating func append<Value: PostgresValue>(_ value: Value) {
        var writer = ParameterWriter(bytes: values)
        values = []  // so that the writer's buffer is the only owner and grows in place
        let offset = writer.bytes.count
        value.encode(into: &writer)
        values = writer.bytes
        let length = writer.isNull ? nil : values.count - offset
        parameters.append(Parameter(type: Value.postgresType, offset: offset, length: length))
        pieces.append(.parameter)
    }
}

extension SQL {
    /// Collects the pieces of a literal with interpolations.
    package struct StringInterpolation: StringInterpolationProtocol {
        var sql: SQL = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.pieces.reserveCapacity(2 * interpolationCount + 1)
            sql.parameters.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            sql.append(literal)
        }

        /// A parameter.
        package mutating func appendInterpolation<Value: PostgresValue>(_ value: Value) {
            sql.append(value)
        }

        /// A parameter that may be NULL.
        ///
        /// Written out, since the compiler takes an optional in a literal for a slip.
        package mutating func appendInterpolation<Value: PostgresValue>(_ value: Value?) {
            sql.append(value)
        }

        /// Another statement's text and parameters, in this place.
        package mutating func appendInterpolation(_ part: SQL) {
            sql.append(part)
        }
    }

    /// A part of the text.
    enum Piece: Hashable, Sendable {
        case text(Literal)
        case parameter
    }

    /// A literal of the program, equal to another if it lies at the same address.
    struct Literal: Hashable, Sendable, CustomStringConvertible {
        private let literal: StaticString
        private let address: UInt

        init(_ literal: StaticString) {
            self.literal = literal
            address =
                literal.hasPointerRepresentation
                ? UInt(bitPattern: literal.utf8Start) : UInt(literal.unicodeScalar.value)
        }

        var description: String { literal.description }

        static func == (left: Literal, right: Literal) -> Bool {
            left.address == right.address && left.literal.utf8CodeUnitCount == right.literal.utf8CodeUnitCount
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(address)
        }
    }

    /// Where a parameter's value lies in `values`; without a length it is NULL.
    struct Parameter: Sendable {
        var type: PostgresType
        var offset: Int
        var length: Int?
    }

    /// What makes two statements the same prepared statement.
    struct Key: Hashable, Sendable {
        let pieces: [Piece]
        let types: [PostgresType]
    }

    var key: Key {
        Key(pieces: pieces, types: parameters.map(\.type))
    }
}
