import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

/// An inbox as `/v1` answers it.
struct Inbox: Sendable {
    let status: Int
    var etag: String?
    var ids: [String] = []
    var unread: [String] = []
    /// Where each message is held, by id.
    var holders: [String: String] = [:]
    var unreadCount: Int64?
    var cursor = ""
    var next: String?

    init(_ response: Response, list: String = "messages") throws {
        status = response.status
        etag = response.headers["etag"]
        guard status == 200 else { return }
        let json = try response.json
        guard case .array(let messages)? = json[list] else {
            Issue.record("no array of messages: \(response.text)")
            return
        }
        for message in messages {
            let id = try #require(message["message_id"]?.asText)
            ids.append(id)
            if message["unread"] == .bool(true) { unread.append(id) }
            holders[id] = message["inbox"]?.asText
        }
        unreadCount = json["unread_count"]?.asInteger
        cursor = try #require(json["cursor"]?.asText)
        next = json["next"]?.asText
    }
}

/// A page of changes as `/v1` answers it.
struct ChangesAnswer: Sendable {
    let changed: Inbox
    let removed: [String]
    let hasMore: Bool
    let isReset: Bool

    var cursor: String { changed.cursor }
    var isEmpty: Bool { changed.ids.isEmpty && removed.isEmpty && !hasMore && !isReset }

    init(_ response: Response) throws {
        try #require(response.status == 200, "\(response.text)")
        changed = try Inbox(response, list: "changed")
        let json = try response.json
        guard case .array(let gone)? = json["removed"] else { throw NoList() }
        removed = gone.compactMap(\.asText)
        hasMore = json["more"] == .bool(true)
        isReset = json["reset"] == .bool(true)
    }

    private struct NoList: Error {}
}

extension Phone {
    /// A call of `/v1` with the user's credentials.
    func v1(
        _ method: HTTPCore.Method, _ path: String, _ body: String = "", headers: Headers = [:]
    ) async -> Response {
        await stage.call(method, "/v1\(path)", basic, body, headers: headers)
    }

    func inbox(_ query: String = "", etag: String? = nil) async throws -> Inbox {
        try Inbox(
            await v1(.get, "/inbox\(query)", headers: etag.map { ["If-None-Match": $0] } ?? [:]))
    }

    func changes(since cursor: String, limit: Int = 500) async throws -> ChangesAnswer {
        try ChangesAnswer(await v1(.get, "/inbox/changes?since=\(cursor)&limit=\(limit)"))
    }

    /// Marks messages; the answer.
    @discardableResult
    func mark(_ word: String, _ ids: [String]) async throws -> JSON {
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = await v1(.post, "/inbox/\(word)", #"{"ids":[\#(list)]}"#)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.json
    }

    func markAll(_ word: String, upTo cursor: String) async -> Response {
        await v1(.post, "/inbox/\(word)", #"{"all":true,"up_to":"\#(cursor)"}"#)
    }

    @discardableResult
    func receive(_ title: String = "Hello", change: @escaping @Sendable (inout Send) -> Void = { _ in })
        async throws
        -> String
    {
        try await stage.backend.send(title, to: try audience, in: app, change: change)
    }
}
