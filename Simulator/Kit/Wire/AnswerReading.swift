import HTTPCore
import InboxWire

/// An answer that cannot be what was asked for, in words for the story.
struct Unreadable: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// The bodies of answers.
extension Response {
    /// The body as JSON, where the status is the one that was expected.
    func json(_ status: Int = 200) throws(Unreadable) -> JSON {
        guard self.status == status else { throw Unreadable(words) }
        do {
            return try JSON.parse(body, duplicateNames: .refuse)
        } catch {
            throw Unreadable("\(words), which is no JSON")
        }
    }

    /// What came, for a story.
    var words: String {
        let text = String(decoding: body.prefix(400), as: UTF8.self)
        return text.isEmpty ? "\(status)" : "\(status) \(text)"
    }
}

extension JSON {
    /// How it is written.
    var text: String { String(decoding: JSONWriter.bytes { $0.value(self) }, as: UTF8.self) }

    func string(_ name: String) throws(Unreadable) -> String {
        guard case .string(let text)? = self[name] else { throw missing(name) }
        return text
    }

    /// A text or null.
    func optional(_ name: String) throws(Unreadable) -> String? {
        if self[name] == .null { return nil }
        return try string(name)
    }

    func number(_ name: String) throws(Unreadable) -> Int {
        guard case .number(let number)? = self[name], let value = number.int64 else { throw missing(name) }
        return Int(value)
    }

    func bool(_ name: String) throws(Unreadable) -> Bool {
        guard case .bool(let truth)? = self[name] else { throw missing(name) }
        return truth
    }

    func array(_ name: String) throws(Unreadable) -> [JSON] {
        guard case .array(let elements)? = self[name] else { throw missing(name) }
        return elements
    }

    private func missing(_ name: String) -> Unreadable { Unreadable("no right '\(name)' in \(text)") }
}
