import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// What answers to questions say.
extension HistoryRun {
    mutating func hear(
        _ response: Response, to look: Look, by caller: Caller, _ member: Member
    ) throws -> Judgement {
        // Whether that is right is the judgement's to say; there is nothing to read.
        guard response.status != 401 else { return HistoryRun.credential(member.user, response) { _ in nil } }
        let judgement: Judgement
        switch look {
        case .deviceList(let isConditional):
            judgement = try hearDeviceList(response, caller, member, isConditional)
        case .list(let narrowing, let isConditional):
            judgement = try hearList(response, caller, member, (narrowing, isConditional))
        case .page(let limit, let isFirst):
            judgement = try hearPage(response, caller, member, limit: limit, isFirst: isFirst)
        case .changes(let limit, let isRepeated, let times):
            judgement = try hearChanges(response, caller, member, (limit, isRepeated, times))
        case .sinceAnswer: judgement = try hearNothingNew(response, caller)
        case .count(let narrowing):
            let answer = try response.json()
            let tag = narrowing.tag.map { World.tags[$0] }
            judgement = { model in
                let expected = model.rows(of: member.user, narrowing, tag).count(where: \.isUnread)
                return answer == .object([JSONMember("unread_count", .number(JSONNumber(Int64(expected))))])
                    ? nil : "expected unread_count \(expected)\ncame     \(answer.text)"
            }
        case .message(let number): judgement = try hearMessage(response, number, member)
        case .body(let number, let surface): judgement = hearBody(response, number, member, surface)
        }
        return HistoryRun.credential(member.user, response, judgement)
    }

    // MARK: Lists

    private mutating func hearDeviceList(
        _ response: Response, _ caller: Caller, _ member: Member, _ isConditional: Bool
    ) throws -> Judgement {
        let kept = clients[caller]?.deviceList
        guard response.status != 304 else { return unchanged(kept, member, .none, \.coarse) }
        guard response.status == 200, let date = response.headers["last-modified"] else {
            throw Unreadable(response.words)
        }
        let list: DeviceList
        do {
            list = try JSONDecoder().decode(DeviceList.self, from: Data(response.body))
        } catch {
            throw Unreadable("\(error) in \(response.words)")
        }
        let rows = try list.messages.map { message in
            try expect(message.title, message.extra, of: message.id)
            return try Sighting(message)
        }
        if isConditional, let kept, rows != kept.rows, kept.validator == date {
            throw Unreadable("another list, and Last-Modified is \(date) again")
        }
        let isVain = isConditional && kept?.deeds == deeds && !isContended
        clients[caller, default: HistoryClient()].deviceList = HistoryClient.Kept(
            validator: date, rows: rows, deeds: isContended ? nil : deeds)
        let names = messageNames
        return { model in
            if isVain { return "expected 304, since nothing happened\ncame     \(response.words)" }
            let expected = model.rows(of: member.user).map(\.coarse)
            guard rows == expected else { return difference(expected, rows, names) }
            let unread = expected.count(where: \.isUnread)
            return list.badge == unread ? nil : "expected badge \(unread)\ncame     \(list.badge)"
        }
    }

    private mutating func hearList(
        _ response: Response, _ caller: Caller, _ member: Member,
        _ asked: (narrowing: Narrowing, isConditional: Bool)
    ) throws -> Judgement {
        let (narrowing, isConditional) = asked
        let kept = clients[caller]?.lists[narrowing]
        guard response.status != 304 else { return unchanged(kept, member, narrowing, \.self) }
        let answer = try response.json()
        let rows = try sightings(answer.array("messages"))
        let unread = try answer.number("unread_count")
        let cursor = try answer.string("cursor")
        guard let tag = response.headers["etag"], try answer.optional("next") == nil else {
            throw Unreadable("no ETag, or a next page: \(response.words)")
        }
        let isVain = isConditional && kept?.deeds == deeds && !isContended
        var client = clients[caller] ?? HistoryClient()
        client.lists[narrowing] = HistoryClient.Kept(
            validator: tag, rows: rows, deeds: isContended ? nil : deeds)
        if narrowing == .none {
            client.copy = Dictionary(uniqueKeysWithValues: rows.map { ($0.message, $0) })
            client.previousCursor = nil
            see(rows.map(\.message), at: cursor, member, &client)
        }
        clients[caller] = client
        let names = messageNames
        let word = narrowing.tag.map { World.tags[$0] }
        return { model in
            if isVain { return "expected 304, since nothing happened\ncame     \(response.words)" }
            let expected = model.rows(of: member.user, narrowing, word)
            guard rows == expected else { return difference(expected, rows, names) }
            let count = expected.count(where: \.isUnread)
            return unread == count ? nil : "expected unread_count \(count)\ncame     \(unread)"
        }
    }

    /// Not modified: what the client has must be what it would get.
    private func unchanged(
        _ kept: HistoryClient.Kept?, _ member: Member, _ narrowing: Narrowing,
        _ form: @escaping (Sighting) -> Sighting
    ) -> Judgement {
        let names = messageNames
        let word = narrowing.tag.map { World.tags[$0] }
        return { model in
            guard let kept else { return "expected a list\ncame     304" }
            let expected = model.rows(of: member.user, narrowing, word).map(form)
            guard kept.rows == expected else {
                return difference(expected, kept.rows, names) + ", by 304"
            }
            return nil
        }
    }

    private mutating func hearPage(
        _ response: Response, _ caller: Caller, _ member: Member, limit: Int, isFirst: Bool
    ) throws -> Judgement {
        let answer = try response.json()
        let rows = try sightings(answer.array("messages"))
        let unread = try answer.number("unread_count")
        let next = try answer.optional("next")
        let last = isFirst ? nil : clients[caller]?.page?.last
        clients[caller, default: HistoryClient()].page = next.flatMap { next in rows.last.map { (next, $0) } }
        let names = messageNames
        return { model in
            let view = model.rows(of: member.user)
            let rest = view.filter { row in last.map { row.isBehind($0) } ?? true }
            guard rows == Array(rest.prefix(limit)) else {
                return difference(Array(rest.prefix(limit)), rows, names)
            }
            guard (next == nil) == (rest.count <= limit) else {
                return
                    "expected \(rest.count - rows.count) more behind this page\ncame     next \(next ?? "null")"
            }
            let count = view.count(where: \.isUnread)
            return unread == count ? nil : "expected unread_count \(count)\ncame     \(unread)"
        }
    }

    // MARK: Single messages

    private func hearMessage(_ response: Response, _ number: Int, _ member: Member) throws -> Judgement {
        guard let id = sends[number]?.id else { preconditionFailure("what was not sent is not asked for") }
        let row = response.status == 200 ? try sightings([response.json()])[0] : nil
        let names = messageNames
        return { model in
            guard let expected = model.rows(of: member.user).first(where: { $0.message == id }) else {
                return HistoryRun.expect(404, response)
            }
            guard let row else { return HistoryRun.expect(200, response) }
            return row == expected ? nil : difference([expected], [row], names)
        }
    }

    private func hearBody(
        _ response: Response, _ number: Int, _ member: Member, _ surface: Surface
    ) -> Judgement {
        guard let sent = sends[number] else { preconditionFailure("what was not sent is not asked for") }
        return { model in
            guard model.holds(bodyOf: sent.id, for: member.user) else {
                // The device interface says it with a page for people.
                return response.status == 410 && surface == .device ? nil : HistoryRun.expect(404, response)
            }
            guard response.status == 200 else { return HistoryRun.expect(200, response) }
            return response.body == Array(sent.sending.body.utf8)
                ? nil : "expected \(sent.sending.body)\ncame     \(response.words)"
        }
    }

    // MARK: Content

    var messageNames: [MessageID: String] {
        Dictionary(uniqueKeysWithValues: sends.values.map { ($0.id, $0.sending.title) })
    }

    /// Listed messages, whose content must be what was sent.
    func sightings(_ list: [JSON]) throws -> [Sighting] {
        try list.map { json in
            let row = try Sighting(json)
            try expect(json.string("title"), HistoryRun.texts(json["extra"]), of: row.message)
            let sending = sends.values.first { $0.id == row.message }?.sending
            guard json["content_type"] == .string(Sending.contentType), json["icon"] == .null,
                try json.number("body_bytes") == sending?.body.utf8.count ?? -1
            else { throw Unreadable("other content than was sent: \(json.text)") }
            return row
        }
    }

    private func expect(_ title: String, _ extra: [String: String], of message: MessageID) throws(Unreadable)
    {
        guard let sent = sends.values.first(where: { $0.id == message }) else {
            throw Unreadable("a message that nobody sent: \(title)")
        }
        guard sent.sending.title == title, sent.sending.extra == extra else {
            throw Unreadable("other content than was sent: \(title) \(extra)")
        }
    }

    private static func texts(_ json: JSON?) -> [String: String] {
        guard case .object(let members)? = json else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value == .null ? "" : ($0.value.textValue ?? "")) }) {
            $1
        }
    }
}

extension JSON {
    /// The text of a string.
    fileprivate var textValue: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

/// A list of the device interface.
private struct DeviceList: Decodable {
    let badge: Int
    let messages: [StrictMessage]
}

extension Sighting {
    /// Whether it stands behind another in list order.
    fileprivate func isBehind(_ other: Sighting) -> Bool {
        sent == other.sent ? message.text > other.message.text : sent < other.sent
    }
}

extension ReferenceInbox {
    /// The rows that an answer must have, narrowed.
    func rows(of user: UserID, _ narrowing: Narrowing = .none, _ tag: String? = nil) -> [Sighting] {
        (view(of: user) ?? []).filter { row in
            (row.isUnread || !narrowing.onlyUnread) && (tag == nil || extra(of: row.message)["tag"] == tag)
        }.map { Sighting($0) }
    }
}

/// Two lists in words.
func difference(_ expected: [Sighting], _ came: [Sighting], _ names: [MessageID: String]) -> String {
    func words(_ rows: [Sighting]) -> String {
        rows.map { row in
            let name = names[row.message] ?? row.message.text
            return [name, row.isUnread ? "unread" : "read", row.place?.rawValue].compactMap(\.self)
                .joined(separator: " ")
        }.joined(separator: ", ")
    }
    let (one, other) = (words(expected), words(came))
    let same = one == other ? " (times or order of equals differ)" : ""
    return "expected [\(one)]\ncame     [\(other)]\(same)"
}
