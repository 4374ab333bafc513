package import InboxModel

/// A value and where it stands, so that a refusal can name the place.
///
/// Paths are dotted names with indices, such as `message.title` or `[2].audience.or[0].tag`; the whole body's is empty.
package struct JSONField: Sendable {
    package let value: JSON
    package let path: String

    package init(_ value: JSON, path: String = "") {
        self.value = value
        self.path = path
    }

    /// A member of this object; nothing if it is absent or this is no object.
    ///
    /// Null counts as a value.
    package func member(_ name: String) -> JSONField? {
        value[name].map { JSONField($0, path: path(of: name)) }
    }

    /// A member of this object; nothing if it is absent or null.
    package func member(unlessNull name: String) -> JSONField? {
        member(name).flatMap { $0.value == .null ? nil : $0 }
    }

    /// A member that must be there; null counts as a value.
    package func required(_ name: String) throws(InboxError) -> JSONField {
        guard let field = member(name) else {
            throw .invalid(field: path(of: name), reason: "'\(name)' must be set")
        }
        return field
    }

    /// The path of a member, there or not.
    package func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Members in the order they came.
    package func members() throws(InboxError) -> [(name: String, field: JSONField)] {
        guard case .object(let members) = value else { throw wrongKind("an object") }
        return members.map { ($0.name, JSONField($0.value, path: path(of: $0.name))) }
    }

    /// Elements of an array.
    package func elements() throws(InboxError) -> [JSONField] {
        guard case .array(let elements) = value else { throw wrongKind("an array") }
        return elements.enumerated().map { JSONField($0.element, path: "\(path)[\($0.offset)]") }
    }

    /// A text without U+0000, which PostgreSQL cannot keep.
    package func string() throws(InboxError) -> String {
        guard case .string(let text) = value else { throw wrongKind("a string") }
        guard !text.utf8.contains(0) else { throw invalid("must not contain the character U+0000") }
        return text
    }

    /// One text or several: a string, or an array of strings.
    package func strings() throws(InboxError) -> [String] {
        guard case .array = value else { return [try string()] }
        var texts: [String] = []
        for element in try elements() { texts.append(try element.string()) }
        return texts
    }

    package func bool() throws(InboxError) -> Bool {
        guard case .bool(let truth) = value else { throw wrongKind("a boolean") }
        return truth
    }

    /// A whole number that fits 64 bits.
    package func integer() throws(InboxError) -> Int64 {
        guard case .number(let number) = value else { throw wrongKind("an integer") }
        guard let integer = number.int64 else { throw invalid("must be an integer") }
        return integer
    }

    /// A refusal of this value.
    package func invalid(_ reason: String, limit: Limit? = nil) -> InboxError {
        .invalid(field: path, reason: reason, limit: limit)
    }

    /// A refusal that says what is expected here and what stands here.
    package func wrongKind(_ expected: String) -> InboxError {
        invalid("must be \(expected), but is \(value.kind)")
    }
}

extension InboxError {
    /// A body that is not JSON.
    package init(_ error: JSONSyntaxError) {
        self = .invalid(
            field: "", reason: "not JSON: \(error.reason) (line \(error.line), column \(error.column))")
    }
}
