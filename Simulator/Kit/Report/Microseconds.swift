/// A duration that is a whole number of microseconds in a file.
@propertyWrapper
package struct Microseconds: Sendable, Equatable, Codable {
    package var wrappedValue: Duration

    package init(wrappedValue: Duration) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        wrappedValue = .microseconds(try decoder.singleValueContainer().decode(Int64.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(wrappedValue.microseconds)
    }
}
