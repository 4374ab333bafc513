import Foundation

/// JSON in which values wait in the database until they are used; every later version reads it.
package enum StoredForm {
    /// The text of a value, the same for equal values.
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Reads what `text` has made.
    ///
    /// - Throws: `DecodingError`, which quotes nothing of the text.
    package static func value<Value: Decodable>(_ type: Value.Type = Value.self, of text: String) throws
        -> Value
    {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
