import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// What readers of an inbox ask for, and what they do in it.
extension ModelServer {
    static func inboxRoutes(into router: inout Router<Handler>) {
        router.add(.get, "/api/user/{user}/messages") { try $0.deviceList($1) }
        router.add(.post, "/api/user/{user}/messages/unread") { try $0.deviceMark($1, as: .read) }
        router.add(.post, "/api/user/{user}/messages/delete") { try $0.deviceMark($1, as: .delete) }
        router.add(.get, "/api/user/messages/message/{message}/body") { try $0.body($1) }
        router.add(.get, "/v1/inbox") { try $0.list($1) }
        router.add(.get, "/v1/inbox/changes") { try $0.changes($1) }
        router.add(.get, "/v1/inbox/unread-count") { try $0.count($1) }
        router.add(.get, "/v1/inbox/messages/{message}") { try $0.message($1) }
        router.add(.get, "/v1/inbox/messages/{message}/body") { try $0.body($1) }
        for mark in ReferenceInbox.Mark.allCases {
            router.add(.post, "/v1/inbox/\(mark.rawValue)") { try $0.mark($1, as: mark) }
        }
    }

    // MARK: Lists

    /// What a user is shown, right or not.
    func view(of user: UserID, ahead milliseconds: Int64 = 0) -> [ReferenceInbox.Listed] {
        guard let app = apps[user.app] else { return [] }
        var model = app.model
        model.now = Instant(rawValue: model.now.rawValue + milliseconds * 1000)
        let rows = model.view(of: user) ?? []
        switch lapse {
        case .ordersByTimeOnly:
            return rows.sorted { one, other in
                one.sent == other.sent ? one.message.text > other.message.text : one.sent > other.sent
            }
        case .capReturns:
            var counts: [ReferenceInbox.Place: Int] = [:]
            return rows.filter { row in
                counts[row.place, default: 0] += 1
                return counts[row.place, default: 0] <= app.settings.cap
            }
        default: return rows
        }
    }

    func count(of user: UserID) -> Int {
        view(of: user, ahead: lapse == .countsExpired ? -1200 : 0).count(where: \.isUnread)
    }

    private mutating func deviceList(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        let (rows, stamp) = listed(for: user)
        var stored = apps[user.app]?.dates[user] ?? (rows: [], seconds: 0)
        if stored.seconds == 0 || stored.rows != stamp {
            stored = (stamp, max(now.seconds, stored.seconds + 1))
            apps[user.app]?.dates[user] = stored
        }
        let date = Instant(seconds: stored.seconds).secondsText
        guard call.request.headers["if-modified-since"] != date else { return Response(status: 304) }
        let unread = rows.count(where: \.isUnread)
        var answer = Response.json { body in
            body.member("badge", unread)
            body.array("messages") { list in for row in rows { write(coarse: row, of: user, to: &list) } }
        }
        answer.headers.add("Last-Modified", date)
        return answer
    }

    /// What to show, and what decides whether it is new.
    private mutating func listed(for user: UserID) -> (
        rows: [ReferenceInbox.Listed], stamp: [ReferenceInbox.Listed]
    ) {
        let rows = view(of: user)
        switch lapse {
        case .dropsRevision:
            return (
                rows,
                rows.map { row in
                    var row = row
                    row.isUnread = true
                    return row
                }
            )
        case .validatesOtherRows:
            let behind = apps[user.app]?.behind[user] ?? rows
            apps[user.app]?.behind[user] = rows
            return (behind, rows)
        default: return (rows, rows)
        }
    }

    private mutating func list(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        var (rows, stamp) = listed(for: user)
        rows = rows.filter { isAsked(for: $0, call, user) }
        stamp = stamp.filter { isAsked(for: $0, call, user) }
        let marks = apps[user.app]?.marks ?? [:]
        let parts = stamp.map { "\($0.message.text)\($0.isUnread)\($0.place)\(marks[$0.message] ?? 0)" }
        let tag = "\"\(parts.joined())\""
        guard call.request.headers["if-none-match"] != tag else { return Response(status: 304) }
        let unread = rows.count(where: \.isUnread)
        var rest = rows
        if let before = call.query("before") {
            rest = after(before, rows)
        }
        let limit = call.query("limit").flatMap { Int($0) } ?? .max
        let page = Array(rest.prefix(limit))
        let next = rest.count > page.count ? page.last.map { position(of: $0) } : nil
        let cursor = cursor(of: user)
        var answer = Response.json { body in
            body.array("messages") { list in for row in page { write(row, of: user, to: &list) } }
            body.member("unread_count", unread)
            body.member("cursor", cursor)
            body.member("next", orNull: next)
        }
        answer.headers.add("ETag", tag)
        return answer
    }

    private func position(of row: ReferenceInbox.Listed) -> String {
        "\(row.sent.milliseconds).\(row.message.text)"
    }

    private func after(_ before: String, _ rows: [ReferenceInbox.Listed]) -> [ReferenceInbox.Listed] {
        let parts = before.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let sent = Int64(parts[0]) else { return [] }
        let rest = rows.filter { row in
            row.sent.milliseconds == sent ? row.message.text > parts[1] : row.sent.milliseconds < sent
        }
        return Array(rest.dropFirst(lapse == .skipsBetweenPages ? 1 : 0))
    }

    private func isAsked(for row: ReferenceInbox.Listed, _ call: ModelCall, _ user: UserID) -> Bool {
        let tag = call.query("extra.tag")
        let extra = apps[user.app]?.model.extra(of: row.message)
        return (call.query("unread") != "true" || row.isUnread) && (tag == nil || tag == extra?["tag"])
    }

    private mutating func count(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        let rows = view(of: user, ahead: lapse == .countsExpired ? -1200 : 0)
        let unread = rows.count { $0.isUnread && isAsked(for: $0, call, user) }
        return .json { $0.member("unread_count", unread) }
    }

    // MARK: Single messages

    private mutating func message(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        guard let row = view(of: user).first(where: { $0.message.text == call.parameters[0] }) else {
            throw Refusal(404)
        }
        return Response(
            status: 200, headers: ["Content-Type": "application/json"],
            body: JSONWriter.bytes { write(row, of: user, to: &$0) })
    }

    private mutating func body(_ call: ModelCall) throws -> Response {
        let user = try user(call)
        guard let id = MessageID(wire: call.parameters[0]), let draft = apps[user.app]?.drafts[id],
            lapse == .servesHiddenBodies || view(of: user).contains(where: { $0.message == id })
        else { throw Refusal(404) }
        return Response(status: 200, headers: ["Content-Type": draft.contentType], body: draft.body)
    }

    func write(_ row: ReferenceInbox.Listed, of user: UserID, to writer: inout JSONWriter) {
        let draft = apps[user.app]?.drafts[row.message]
        writer.object { message in
            message.member("message_id", row.message.text)
            message.member("title", draft?.title ?? "")
            message.member("content_type", draft?.contentType ?? "")
            message.member("body_bytes", draft?.body.count ?? 0)
            message.member("extra", draft?.extra ?? [:])
            message.member("icon", orNull: draft?.icon)
            message.member("sent", row.sent.millisecondsText)
            message.member("expires", row.expires.millisecondsText)
            message.member("inbox", row.place.rawValue)
            message.member("unread", row.isUnread)
        }
    }

    private func write(coarse row: ReferenceInbox.Listed, of user: UserID, to writer: inout JSONWriter) {
        let (id, draft) = (row.message.text, apps[user.app]?.drafts[row.message])
        let url = "http://server.test/api/user/messages/message/\(id)/"
        writer.object { message in
            message.member("message_id", id)
            message.member("message_url", url)
            message.member("message_body_url", "\(url)body/")
            message.member("message_read_url", "\(url)read/")
            message.object("message_reporting") { $0.member("message_id", id) }
            message.member("message_sent", row.sent.secondsText)
            message.member("message_expiry", row.expires.secondsText)
            message.member("title", draft?.title ?? "")
            message.member("content_type", draft?.contentType ?? "")
            message.member("extra", draft?.extra ?? [:])
            message.member("unread", row.isUnread)
        }
    }

    // MARK: Marks

    private mutating func apply(_ mark: ReferenceInbox.Mark, to ids: [MessageID], by user: UserID) {
        let before = Set(view(of: user))
        apps[user.app]?.model.mark(ids, as: mark, by: user)
        guard lapse != .dropsRevision else { return }
        for row in view(of: user) where !before.contains(row) {
            apps[user.app]?.marks[row.message, default: 0] += 1
        }
    }

    private mutating func deviceMark(_ call: ModelCall, as mark: ReferenceInbox.Mark) throws -> Response {
        let user = try user(call)
        let ids = try call.json().array("messages").compactMap {
            try MessageID(wire: $0.string("message_id"))
        }
        apply(mark, to: ids, by: user)
        return Response(status: 200)
    }

    private mutating func mark(_ call: ModelCall, as mark: ReferenceInbox.Mark) throws -> Response {
        let (user, body) = (try user(call), try call.json())
        let ids: [MessageID]
        if body["all"] == .bool(true) {
            guard let seen = snapshot(try body.string("up_to"), of: user), owns(seen, user),
                seen.settings == apps[user.app]?.settings
            else {
                throw Refusal(409)
            }
            ids = seen.rows.map(\.message)
        } else {
            ids = try JSONField(body).required("ids").strings().compactMap { MessageID(wire: $0) }
        }
        apply(mark, to: ids, by: user)
        let (unread, cursor) = (count(of: user), cursor(of: user))
        return .json { answer in
            answer.member("unread_count", unread)
            answer.member("cursor", cursor)
        }
    }
}
