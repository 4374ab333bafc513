import Foundation
import InboxWire

extension JSON {
    /// Reads a text.
    init(parsing bytes: [UInt8]) throws(JSONSyntaxError) {
        self = try JSON.parse(bytes, duplicateNames: .lastWins)
    }

    /// The text, if it is one.
    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number, if it is one.
    var integer: Int64? {
        guard case .number(let number) = self else { return nil }
        return number.int64
    }

    /// The elements, if it is an array.
    var elements: [JSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members, if it is an object.
    var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The texts of an array.
    var strings: [String]? { elements?.compactMap(\.string) }
}

/// Parts of a request's target.
enum Target {
    /// The text as one segment of a path or one value of a query.
    static func escaped(_ text: String) -> String {
        // The URL library would take these for steps in a path.
        if text == "." || text == ".." { return text.replacing(".", with: "%2E") }
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
