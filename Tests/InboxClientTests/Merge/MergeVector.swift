import Foundation
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform
import Testing

/// An example of one merge rule, from the file that server, library and other clients share.
struct MergeVector: CustomTestStringConvertible, Sendable {
    let rule: String
    let held: [PersonView]
    let marks: [Mark]
    let person: NamedUserID?
    /// Answers of `/v1/inbox/changes`, as they come.
    let pages: [JSON]
    let now: Instant
    let shown: [MessageID]
    let unread: [MessageID]
    let unreadCount: Int
    let toTell: [Mark]
    /// Whether a server that holds this and is told this shows the same.
    let isForServer: Bool

    /// What a user does to a message.
    struct Mark: Hashable, Sendable {
        let person: NamedUserID?
        let mark: MessageMark
        let message: MessageID
        let isTold: Bool
    }

    var testDescription: String { rule }

    static let all: [MergeVector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fixtures/client-merge.json")
        guard let data = try? Data(contentsOf: file), let json = try? JSON.parse(Array(data)),
            let vectors = try? json.list("vectors").map(MergeVector.init)
        else { preconditionFailure("the vectors are missing or have another form") }
        return vectors
    }()

    private init(_ json: JSON) throws {
        rule = try json.text("rule")
        held = try json.list("held").map { view in
            let rows = try view.list("rows").map { try #require(MessageRow(listed: $0)) }
            return PersonView(view.person("person"), CachedView(rows, cursor: try view.text("cursor")))
        }
        marks = try json.list("marks").map(Mark.init)
        person = json.person("person")
        pages = try json.list("pages")
        now = try #require(CalendarTime(text: try json.text("now"))?.instant)
        shown = try json.messages("shown")
        unread = try json.messages("unread")
        guard case .number(let count) = json["unread_count"] else {
            throw JSON.Unexpected(name: "unread_count")
        }
        unreadCount = Int(try #require(count.int64))
        toTell = try json.list("to_tell").map(Mark.init)
        isForServer = json["server"] == .bool(true)
    }
}

extension MergeVector.Mark {
    fileprivate init(_ json: JSON) throws {
        person = json.person("by")
        mark = try #require(MessageMark(rawValue: try json.text("mark")))
        message = try #require(MessageID(text: try json.text("message_id").utf8))
        isTold = json["told"] == .bool(true)
    }
}

extension JSON {
    /// A member that is missing or of another kind.
    struct Unexpected: Error {
        let name: String
    }

    func text(_ name: String) throws -> String {
        guard case .string(let text) = self[name] else { throw Unexpected(name: name) }
        return text
    }

    func list(_ name: String) throws -> [JSON] {
        guard case .array(let elements) = self[name] else { throw Unexpected(name: name) }
        return elements
    }

    fileprivate func person(_ name: String) -> NamedUserID? {
        if case .string(let text) = self[name] { NamedUserID(stored: text) } else { nil }
    }

    fileprivate func messages(_ name: String) throws -> [MessageID] {
        try list(name).map { id in
            guard case .string(let text) = id else { throw Unexpected(name: name) }
            return try #require(MessageID(text: text.utf8))
        }
    }
}
