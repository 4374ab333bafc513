import HTTPCore
import InboxModel
import InboxWire
import Platform
import SimulatorKit

extension ScriptedStore {
    // MARK: Sending

    mutating func push(_ body: JSON, _ server: ScriptedServer, at now: Int64) -> Response {
        let pushes = if case .array(let elements) = body { elements } else { [body] }
        var ids: [String] = []
        var recipients = 0
        for push in pushes {
            let id = MessageID(high: random.next(), low: random.next())
            ids.append(id.text)
            recipients += deliver(push, as: id, server, at: now)
            if isTurn(of: .sendsTwice, server, oneIn: 20) {
                _ = deliver(push, as: MessageID(high: random.next(), low: random.next()), server, at: now)
            }
        }
        return Response(
            status: 202,
            body: JSONWriter.bytes { writer in
                writer.object { writer in
                    writer.member("ok", true)
                    writer.member("push_ids", ids)
                    writer.member("message_ids", ids)
                    writer.member("recipients", recipients)
                    writer.member("unknown", [String]())
                    writer.member("state", "done")
                }
            })
    }

    private mutating func deliver(
        _ push: JSON, as id: MessageID, _ server: ScriptedServer, at now: Int64
    ) -> Int {
        var extra: [String: String] = [:]
        if case .object(let members) = push["message"]?["extra"] {
            for member in members { extra[member.name] = member.value.text }
        }
        var life: Int64?
        if case .number(let number) = push["message"]?["expiry"] { life = number.int64 }
        let isBroadcast = push["audience"]?.text == "all"
        messages[id] = ScriptedMessage(
            id: id, title: push["message"]?["title"]?.text ?? "",
            body: Array((push["message"]?["body"]?.text ?? "").utf8), extra: extra, sent: now,
            expires: life.map { now + $0 * 1000 }, isBroadcast: isBroadcast, order: messages.count)
        if isBroadcast {
            broadcasts.insert(id)
            if isTurn(of: .losesBroadcasts, server, oneIn: 2) { messages[id] = nil }
            return devices.count
        }
        return deliver(id, to: push["audience"] ?? .null, server)
    }

    private mutating func deliver(_ id: MessageID, to audience: JSON, _ server: ScriptedServer) -> Int {
        if isTurn(of: .losesDeliveries, server) { return 1 }
        if let person = audience["named_user"]?.text, server.delivery == .person {
            guard people[person] != nil else { return 0 }
            people[person]?.rows[id] = ScriptedRow(isDelivered: true)
            return 1
        }
        var reached = devices.filter { channel, device in
            channel == audience["channel"]?.text
                || device.person != nil && device.person == audience["named_user"]?.text
                || audience["tag"]?.text.map(device.tags.contains) == true
        }.keys.sorted()
        let count = reached.count
        if isTurn(of: .deliversToOthers, server), let other = devices.keys.max() { reached.append(other) }
        for channel in reached { devices[channel]?.inbox.rows[id] = ScriptedRow(isDelivered: true) }
        return count
    }

    mutating func recall(_ text: String, _ server: ScriptedServer) -> Response {
        guard let id = MessageID(wire: text), messages[id] != nil else { return Response(status: 404) }
        messages[id]?.isRecalled = true
        return .json(202, #"{"ok":true}"#)
    }

    // MARK: Views

    private func isVisible(
        _ id: MessageID, on device: ScriptedDevice, _ server: ScriptedServer, at now: Int64
    ) -> Bool {
        guard let message = messages[id] else { return false }
        if message.isRecalled, server.fault != .showsRecalled { return false }
        if let expires = message.expires, now >= expires, server.fault != .showsExpired { return false }
        let inboxes = [device.inbox] + (device.person.flatMap { people[$0] }.map { [$0] } ?? [])
        guard server.fault == .deletesNot || !inboxes.contains(where: { $0.rows[id]?.isDeleted == true })
        else {
            return false
        }
        if message.isBroadcast { return inboxes.contains { $0.baseline <= message.order } }
        return inboxes.contains { $0.rows[id]?.isDelivered == true }
    }

    private func view(
        of device: ScriptedDevice, _ server: ScriptedServer, at now: Int64
    ) -> [(message: ScriptedMessage, isUnread: Bool)] {
        let person = device.person.flatMap { people[$0] }
        let held = Set(device.inbox.rows.keys).union(person?.rows.keys ?? [:].keys).union(broadcasts)
        let visible = held.filter { isVisible($0, on: device, server, at: now) }.compactMap { messages[$0] }
        let sorted = visible.sorted { one, other in
            one.sent != other.sent ? one.sent > other.sent : one.id.text < other.id.text
        }
        let ordered = server.fault == .ordersOldestFirst ? sorted.reversed() : sorted
        return ordered.map { message in
            let isRead =
                device.inbox.rows[message.id]?.isRead == true || person?.rows[message.id]?.isRead == true
            return (message, !isRead)
        }
    }

    mutating func list(
        _ channel: String, _ request: Request, _ server: ScriptedServer, at now: Int64
    ) -> Response {
        guard let device = devices[channel] else { return Response(status: 401) }
        let view = view(of: device, server, at: now)
        let state = view.map { "\($0.message.id.text)\($0.isUnread)" }.joined(separator: ",")
        let since = request.headers["If-Modified-Since"]
        let isNew = server.fault == .neverShowsChanges ? device.shown.isEmpty : device.shown != state
        if !isNew, since != nil, since == date(of: device) { return Response(status: 304) }
        if isNew, server.fault != .keepsLastModified || device.shown.isEmpty {
            devices[channel]?.date = max(now / 1000, device.date + 1)
        }
        devices[channel]?.shown = state.isEmpty ? " " : state
        let body = JSONWriter.bytes(capacity: 4096) { writer in
            writer.object { writer in
                writer.member("ok", true)
                writer.member("badge", view.count { $0.isUnread })
                writer.array("messages") { writer in
                    for item in view {
                        item.message.write(isUnread: item.isUnread, server.fault, to: &writer)
                    }
                }
            }
        }
        return Response(
            status: 200, headers: ["Last-Modified": devices[channel].map(date) ?? ""], body: body)
    }

    /// A date within January 2027, which is all that a short run needs.
    private func date(of device: ScriptedDevice) -> String {
        let time = CalendarTime(Instant(seconds: 1_800_000_000 + device.date))
        func two(_ number: Int64) -> String { String(String(number + 100).suffix(2)) }
        return
            "Fri, \(two(time.day)) Jan \(time.year) \(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }

    // MARK: Bodies and marks

    func body(_ text: String, _ request: Request, _ server: ScriptedServer, at now: Int64) -> Response {
        guard let id = MessageID(wire: text), let message = messages[id], !message.isRecalled,
            message.expires.map({ now < $0 }) ?? true, let device = device(of: request),
            isVisible(id, on: device, server, at: now)
        else { return Response(status: 404) }
        let isWrong = server.fault == .servesOtherBodies && message.order % 3 == 0
        return Response(status: 200, body: isWrong ? Array("other".utf8) : message.body)
    }

    private func device(of request: Request) -> ScriptedDevice? {
        let basic = request.headers["Authorization"] ?? ""
        return devices.first { channel, _ in
            InboxUser(id: channel.replacing("-", with: ""), password: "p").authorization == basic
        }?.value
    }

    mutating func mark(
        _ name: String, _ channel: String, _ body: JSON, _ server: ScriptedServer, at now: Int64
    ) -> Response {
        guard let device = devices[channel], case .array(let elements) = body["messages"] else {
            return Response(status: 400)
        }
        for element in elements {
            guard let id = (element["message_id"]?.text).flatMap({ MessageID(wire: $0) }),
                isVisible(id, on: device, server, at: now)
            else { continue }
            if name == "unread", isTurn(of: .forgetsReads, server) { continue }
            write(name, id, channel, device.person)
            if name == "unread", server.fault == .readsForOthers {
                for other in devices.keys where devices[other]?.inbox.rows[id] != nil {
                    devices[other]?.inbox.rows[id]?.isRead = true
                }
            }
        }
        return .json(200, #"{"ok":true}"#)
    }

    /// Writes a mark to every inbox of the view that holds the message.
    private mutating func write(_ name: String, _ id: MessageID, _ channel: String, _ person: String?) {
        let isBroadcast = messages[id]?.isBroadcast == true
        func change(_ row: inout ScriptedRow) {
            if name == "unread" { row.isRead = true } else { row.isDeleted = true }
        }
        if isBroadcast || devices[channel]?.inbox.rows[id] != nil {
            change(
                &devices[channel, default: ScriptedDevice(inbox: ScriptedInbox(baseline: 0), tags: [])]
                    .inbox.rows[id, default: ScriptedRow()])
        }
        if let person, isBroadcast || people[person]?.rows[id] != nil {
            change(&people[person, default: ScriptedInbox(baseline: 0)].rows[id, default: ScriptedRow()])
        }
    }
}
