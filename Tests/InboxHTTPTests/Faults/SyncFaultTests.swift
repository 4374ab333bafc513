import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Postgres
import TestSupport
import Testing

/// Faults that users of comparable systems reported: sync, cursors, conditional requests.
@Suite struct SyncFaultTests {
    @Test func `reported fault: a mark of a stale device brought back what another had deleted`() async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let (one, two) = (try await Phone.register(stage), try await Phone.register(stage))
            for phone in [one, two] { _ = await phone.login("ana") }
            let sent = [
                try await stage.backend.send(to: .namedUsers([try NamedUserID("ana")]), in: stage.acme),
                try await stage.backend.send(to: .everyone, in: stage.acme),
            ]
            #expect(try await two.inbox().ids.count == 2)
            try await one.mark("delete", sent)
            let start = try await one.inbox().cursor
            for word in ["read", "unread", "delete"] { try await two.mark(word, sent) }
            #expect(await two.batch("unread", sent).status == 200)
            for phone in [one, two] {
                let (inbox, list) = (try await phone.inbox(), try await phone.list())
                #expect(inbox.ids.isEmpty && inbox.unreadCount == 0 && list.ids.isEmpty && list.badge == 0)
                #expect(try await phone.v1(.get, "/inbox/unread-count").json["unread_count"]?.asInteger == 0)
            }
            #expect(try await one.changes(since: start).changed.ids.isEmpty)
        }
    }

    @Test func `reported fault: a page behind the last one began at the front again`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for _ in 0..<3 { try await phone.receive() }
            let ids = try await phone.inbox().ids
            let page = try await phone.inbox("?limit=2")
            #expect(page.ids == Array(ids[..<2]))
            let next = try #require(page.next)
            let last = try await phone.inbox("?limit=2&before=\(next)")
            #expect(last.ids == [ids[2]] && last.next == nil)
            try await phone.mark("delete", [ids[2]])
            let behind = try await phone.inbox("?limit=2&before=\(next)")
            #expect(behind.ids.isEmpty && behind.next == nil && behind.unreadCount == 2)
            let current = try await phone.inbox().cursor
            for _ in 0..<2 { #expect(try await phone.changes(since: current, limit: 1).isEmpty) }
            let sent = await stage.call(.get, "/v1/messages?before=\(ids[2])", stage.acme.masterBasic)
            let told = try sent.json
            #expect(told["messages"] == .array([]) && told["next"] == .null)
        }
    }

    @Test func `reported fault: marks were lost when the person came by a new device`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let old = try await Phone.register(stage)
            _ = await old.login("ana")
            var ids: [String] = []
            for audience in [Audience.namedUsers([try NamedUserID("ana")]), .everyone] {
                for _ in 0..<2 { ids.append(try await stage.backend.send(to: audience, in: stage.acme)) }
            }
            try await old.mark("read", [ids[0], ids[2]])
            try await old.mark("delete", [ids[1], ids[3]])
            let new = try await Phone.register(stage, stage.acme, .android)
            _ = await new.login("ana")
            let inbox = try await new.inbox()
            #expect(Set(inbox.ids) == [ids[0], ids[2]] && inbox.unread.isEmpty && inbox.unreadCount == 0)
            #expect(Set(try await new.list().ids) == [ids[0], ids[2]])
        }
    }

    @Test func `reported fault: what a long list left out was taken for deleted, and pages repeated rows`()
        async throws
    {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 10000")
            let phone = try await Phone.register(stage)
            var cursor = try await phone.inbox().cursor
            // A hundred of one moment at a time.
            let push =
                #"{"audience":{"ios_channel":"\#(phone.channel)"},"device_types":"all","message":{"title":"T","body":"B"}}"#
            let pushes = "[" + [String](repeating: push, count: 100).joined(separator: ",") + "]"
            for _ in 0..<12 {
                let sent = await stage.call(.post, "/api/push", stage.acme.masterBasic, pushes)
                try #require(sent.status == 202, "\(sent.text)")
            }
            let whole = try await phone.inbox()
            #expect(whole.ids.count == 1200 && Set(whole.ids).count == 1200 && whole.unreadCount == 1200)
            let list = try await phone.list()
            #expect(list.ids == whole.ids && list.badge == 1200)
            var paged: [String] = []
            var next: String? = ""
            while let before = next, paged.count <= 1200 {
                let page = try await phone.inbox("?limit=50" + (before.isEmpty ? "" : "&before=\(before)"))
                paged += page.ids
                next = page.next
            }
            #expect(paged == whole.ids)
            var told: [String] = []
            while told.count <= 1200 {
                let changes = try await phone.changes(since: cursor, limit: 50)
                told += changes.changed.ids
                cursor = changes.cursor
                if !changes.hasMore { break }
            }
            #expect(told.count == 1200 && Set(told) == Set(whole.ids))
            let unknown = (0..<800).map { MessageID(high: 7, low: $0).text }
            #expect(await phone.batch("unread", whole.ids + unknown).status == 200)
            #expect(try await phone.list().badge == 0)
            let kept = try await stage.number("SELECT count(*) FROM deliveries WHERE NOT deleted")
            #expect(kept == 1200)
        }
    }

    @Test(arguments: ["read committed", "serializable"])
    func `reported fault: writes at once failed, or were repeated and stored twice`(isolation: String)
        async throws
    {
        try await DeviceStage.open { stage in
            try await stage.script(
                """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''\(isolation)''', current_database());
                END $$
                """)
            let phone = try await Phone.register(stage)
            try await stage.onAnotherInstance { other in
                let there = phone.on(other)
                let body =
                    #"{"audience":{"channel":"\#(phone.channel)"},"message":{"title":"T","body":"B"}}"#
                let sent = try await withThrowingTaskGroup(of: String?.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            let answer = await other.call(
                                .post, "/v1/messages", other.acme.masterBasic, body)
                            try #require(answer.status == 202, "\(answer.text)")
                            return try answer.json["message_id"]?.asText
                        }
                        group.addTask {
                            let inbox = try await there.inbox()
                            #expect(inbox.status == 200 && Set(inbox.ids).count == inbox.ids.count)
                            try await there.mark("read", Array(inbox.ids.prefix(3)))
                            return nil
                        }
                    }
                    return try await group.reduce(into: [String]()) { if let id = $1 { $0.append(id) } }
                }
                #expect(sent.count == 100 && Set(sent).count == 100)
                let inbox = try await there.inbox()
                #expect(inbox.ids.count == 100 && Set(inbox.ids) == Set(sent))
                #expect(inbox.unreadCount == Int64(inbox.unread.count))
            }
        }
    }

    @Test func `reported fault: the message of a send that was answered was not in the list yet`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await stage.phone(tag: "news")
            _ = await phone.login("ana")
            try await stage.onAnotherInstance { other in
                let audiences = [
                    #""all""#, #"{"tag":"news"}"#, #"{"named_user":"ana"}"#,
                    #"{"channel":"\#(phone.channel)"}"#,
                ]
                for (audience, asked) in audiences.flatMap({ [($0, phone), ($0, phone.on(other))] }) {
                    let id = try #require(try await stage.send(to: audience)["message_id"]?.asText)
                    #expect(await asked.v1(.get, "/inbox/messages/\(id)/body").status == 200, "\(audience)")
                    #expect(await asked.body(id).status == 200, "\(audience)")
                    #expect(try await asked.inbox().ids.contains(id), "\(audience)")
                    #expect(try await asked.list().ids.contains(id), "\(audience)")
                }
            }
        }
    }

    @Test func `reported fault: one device showed the same message twice where audiences overlap`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await stage.phone(tag: "a")
            try await stage.change(phone, tag: "b")
            _ = await phone.login("ana")
            let audience =
                #"{"or":[{"tag":"a"},{"tag":"b"},{"named_user":"ana"},{"ios_channel":"\#(phone.channel)"}]}"#
            let sent = try await stage.send(to: audience)
            let id = try #require(sent["message_id"]?.asText)
            #expect(sent["recipients"]?.asInteger == 1)
            for name in ["ana", "ben", "ana"] {
                _ = await phone.login(name)
                #expect(try await phone.inbox().ids == [id], "\(name)")
                #expect(try await phone.list().ids == [id], "\(name)")
            }
            let own = try await stage.send(to: #"{"or":[{"named_user":"ana"},{"named_user":["ana","ben"]}]}"#)
            #expect(own["recipients"]?.asInteger == 2)
            #expect(try await phone.inbox().ids.count == 2)
        }
    }
}
