import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Postgres
import Testing

/// Rule 14 by the table that server, library and browser share.
@Suite struct FilterFixtureTests {
    private struct Row: Decodable, Sendable {
        enum Verdict: String, Decodable { case accepted, warned, refused }

        enum CodingKeys: String, CodingKey {
            case id, extra, shown, send
            case loggedIn = "logged_in"
            case shownWithUntargeted = "shown_with_untargeted"
        }

        var id: String
        var loggedIn: String?
        var extra: String?
        var shown: Bool
        var shownWithUntargeted: Bool
        var send: Verdict

        /// The extra, if a server can hold it: texts by names that stand once.
        var storable: [String: String]? {
            guard let extra else { return [:] }
            guard case .object(let members)? = try? JSON.parse(Array(extra.utf8)) else { return nil }
            let texts = members.compactMap { member in member.value.asText.map { (member.name, $0) } }
            guard texts.count == members.count, Set(members.map(\.name)).count == members.count else {
                return nil
            }
            return Dictionary(texts) { first, _ in first }
        }

        /// The message's text, for any way of sending.
        var message: String {
            #""message":{"title":"T","body":"B"\#(extra.map { #","extra":\#($0)"# } ?? "")}"#
        }

        /// Sends the row's message, to the device or to everyone; nothing if it cannot even be stored.
        func send(to phone: Phone, isForAll: Bool) async throws -> String? {
            let stage = phone.stage
            guard send == .refused else {
                let to = isForAll ? #""all""# : #"{"channel":"\#(phone.channel)"}"#
                let body = #"{"audience":\#(to),\#(message)}"#
                let answer = await stage.call(.post, "/v1/messages", stage.acme.masterBasic, body)
                try #require(answer.status == 202, "\(id): \(answer.text)")
                return try answer.json["message_id"]?.asText
            }
            // As what came from another service: it was never held to what is said to a send.
            guard let extra = storable else { return nil }
            return try await stage.backend.send(
                to: isForAll ? .everyone : try phone.audience, in: stage.acme
            ) { $0.draft.extra = extra }
        }
    }

    private struct Table: Decodable {
        var rows: [Row]
    }

    private static func rows() throws -> [Row] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fixtures/named-user-filter.json")
        return try JSONDecoder().decode(Table.self, from: Data(contentsOf: file)).rows
    }

    @Test func `rule 14: what the server shows is what the common table says, to a device and to everyone`()
        async throws
    {
        let rows = try Self.rows()
        try await DeviceStage.open(delivery: .person) { stage in
            try await stage.script("UPDATE apps SET filter_mode = 2, inbox_cap = 10000")
            let phone = try await Phone.register(stage)
            var sent: [(Row, [String])] = []
            for row in rows {
                let ids = [
                    try await row.send(to: phone, isForAll: false),
                    try await row.send(to: phone, isForAll: true),
                ]
                sent.append((row, ids.compactMap { $0 }))
            }
            for untargeted in [false, true] {
                try await stage.script(
                    "UPDATE apps SET filter_untargeted = \(untargeted), settings_revision = settings_revision + 1"
                )
                for (row, ids) in sent {
                    let standing =
                        if let name = row.loggedIn { await phone.logIn(as: name) } else {
                            await phone.logOut()
                        }
                    try #require(standing.status == 200, "\(row.id): \(standing.text)")
                    let isShown = untargeted ? row.shownWithUntargeted : row.shown
                    let (inbox, list) = (try await phone.inbox(), try await phone.list())
                    for id in ids {
                        #expect(inbox.ids.contains(id) == isShown, "\(row.id), untargeted \(untargeted)")
                        #expect(list.ids.contains(id) == isShown, "\(row.id), untargeted \(untargeted)")
                        let body = await phone.v1(.get, "/inbox/messages/\(id)/body")
                        #expect(body.status == (isShown ? 200 : 404), "\(row.id), untargeted \(untargeted)")
                    }
                    #expect(inbox.unreadCount == Int64(inbox.ids.count) && list.badge == inbox.unreadCount)
                }
            }
        }
    }

    @Test func `rule 14: every way of sending says to a message what the common table says`() async throws {
        let rows = try Self.rows()
        try await DeviceStage.open { stage in
            for row in rows {
                let sent = #""audience":{"tag":"nobody"},\#(row.message)"#
                let push = #"{\#(sent),"device_types":"all"}"#
                let time = #""schedule":{"scheduled_time":"2091-05-06T07:08:09"}"#
                for (path, body) in [
                    ("/v1/messages", "{\(sent)}"), ("/v1/messages", #"{\#(sent),"dry_run":true}"#),
                    ("/v1/schedules", #"{"scheduled_in":60,"message":{\#(sent)}}"#),
                    ("/api/push", push), ("/api/push", "[\(push)]"), ("/api/push/validate", push),
                    ("/api/schedules", "{\(time),\"push\":\(push)}"),
                    ("/api/schedules", "[{\(time),\"push\":[\(push)]}]"),
                ] {
                    let answer = await stage.call(.post, path, stage.acme.masterBasic, body)
                    let hint = "\(row.id) \(path): \(answer.text)"
                    guard row.send != .refused else {
                        #expect(answer.status == 400, "\(hint)")
                        continue
                    }
                    #expect((200..<300).contains(answer.status), "\(hint)")
                    // Published clients' validation answers that it is good, and nothing else.
                    let isWarned = row.send == .warned && !path.hasSuffix("validate")
                    #expect(answer.text.contains("is not 'named_user_id'") == isWarned, "\(hint)")
                }
            }
            let kept = try await stage.number(
                "SELECT count(*) FROM messages WHERE extra ->> 'named_user_id' IS NOT NFC NORMALIZED")
            #expect(kept == 0)
        }
    }
}
