import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct ChangesRouteTests {
    @Test func `what one device does the other is told, and nothing else`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let one = try await Phone.register(stage)
            let two = try await Phone.register(stage)
            for phone in [one, two] { _ = await phone.login("ana") }
            var ids: [String] = []
            for _ in 0..<3 {
                ids.append(
                    try await stage.backend.send(to: .namedUsers([try NamedUserID("ana")]), in: stage.acme))
            }
            let start = try await two.inbox().cursor
            try await one.mark("read", [ids[0]])
            try await one.mark("delete", [ids[1]])
            let changes = try await two.changes(since: start)
            #expect(changes.changed.ids == [ids[0]] && changes.changed.unread.isEmpty)
            #expect(changes.removed == [ids[1]] && changes.changed.unreadCount == 1 && !changes.isReset)
            #expect(try await two.changes(since: changes.cursor).isEmpty)
        }
    }

    @Test func `reported fault: an item deleted between two syncs was not told as gone`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let old = try await phone.receive()
            let start = try await phone.inbox().cursor
            try await phone.mark("delete", [old])
            let passing = try await phone.receive()
            try await phone.mark("delete", [passing])
            let new = try await phone.receive()
            let changes = try await phone.changes(since: start)
            #expect(changes.changed.ids == [new])
            #expect(Set(changes.removed) == [old, passing])
        }
    }

    @Test func `a channel that comes back with an older inbox in it brings that one's broadcasts as a reset`()
        async throws
    {
        try await DeviceStage.open { stage in
            let old = try await Phone.register(stage)
            let early = try await stage.backend.send(to: .everyone, in: stage.acme)
            let new = try await Phone.register(stage)
            let late = try await stage.backend.send(to: .everyone, in: stage.acme)
            let cursor = try await new.inbox().cursor
            try await stage.backend.attach(new.channel, to: old)
            try await stage.backend.attach(new.channel, to: new)
            #expect(Set(try await new.inbox().ids) == [early, late])
            let changes = try await new.changes(since: cursor)
            #expect(changes.isReset && Set(changes.changed.ids) == [early, late])
            #expect(await new.markAll("delete", upTo: cursor).status == 409)
        }
    }

    @Test func `what another took away with a channel's inbox is told as a reset when the inbox comes back`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let message = try await phone.receive()
            let inbox = try await phone.inbox()
            #expect(inbox.ids == [message])
            for channel in [phone.channel, other.channel] {
                try await stage.backend.attach(channel, to: other)
            }
            try await stage.backend.attach(phone.channel, to: phone)
            let changes = try await phone.changes(since: inbox.cursor)
            #expect(changes.isReset && changes.changed.ids.isEmpty)
            #expect(try await other.inbox().ids == [message])
        }
    }

    @Test func `reported fault: rows of one time were repeated or skipped at the borders of pages`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var cursor = try await phone.inbox().cursor
            for _ in 0..<25 { try await phone.receive() }
            try await stage.script(
                """
                UPDATE deliveries SET changed = 25, added = 25, sent_ms = 1800000000000;
                UPDATE messages SET sent_ms = 1800000000000
                """)
            var seen: [String] = []
            for page in 0... {
                let changes = try await phone.changes(since: cursor, limit: 7)
                #expect(try await phone.changes(since: cursor, limit: 7).changed.ids == changes.changed.ids)
                seen += changes.changed.ids
                cursor = changes.cursor
                if !changes.hasMore { break }
                try #require(page < 9)
            }
            #expect(Set(seen) == Set(try await phone.inbox().ids) && seen.count == 25)
        }
    }

    @Test func `a broadcast, its recall and its fall below the floor are told`() async throws {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 2")
            let phone = try await Phone.register(stage)
            var sent: [String] = []
            for _ in 0..<2 { sent.append(try await stage.backend.send(to: .everyone, in: stage.acme)) }
            var cursor = try await phone.inbox().cursor
            sent.append(try await stage.backend.send(to: .everyone, in: stage.acme))
            var changes = try await phone.changes(since: cursor)
            #expect(changes.changed.ids == [sent[2]] && changes.removed == [sent[0]])
            cursor = changes.cursor
            try await stage.backend.recall(sent[1], in: stage.acme)
            changes = try await phone.changes(since: cursor)
            #expect(changes.changed.ids.isEmpty && changes.removed == [sent[1]])
            #expect(try await phone.inbox().ids == [sent[2]])
        }
    }

    @Test func `rule 3: login, logout and another's cursor are a reset with the whole view`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let own = try await phone.receive()
            let start = try await phone.inbox().cursor
            _ = await phone.login("ana")
            let reset = try await phone.changes(since: start)
            #expect(reset.isReset && reset.changed.ids == [own] && reset.removed.isEmpty)
            #expect(try await other.changes(since: start).isReset)
            let stranger = try await Phone.register(stage, stage.globex)
            #expect(try await stranger.changes(since: start).isReset)
            #expect(try await stranger.changes(since: start).changed.ids.isEmpty)
        }
    }

    @Test(arguments: ["", "null"])
    func `reported fault: a client without a cursor that sends an empty one was refused`(since: String)
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let own = try await phone.receive()
            let reset = try await phone.changes(since: since)
            #expect(reset.isReset && reset.changed.ids == [own])
            #expect(try ChangesAnswer(await phone.v1(.get, "/inbox/changes")).isReset)
        }
    }

    @Test(arguments: ["0", "%22123", "-1", String(repeating: "9", count: 30), "%00", "a%20b", "undefined"])
    func `what never was a cursor is refused`(since: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let answer = await phone.v1(.get, "/inbox/changes?since=\(since)")
            #expect(answer.status == 400)
            #expect(try answer.json["field"]?.asText == "since")
        }
    }

    @Test(arguments: [("0", 400), ("1", 200), ("1000", 200), ("1001", 400)])
    func `a page of changes holds 1 to 1,000 messages`(limit: String, status: Int) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.v1(.get, "/inbox/changes?limit=\(limit)").status == status)
        }
    }

    @Test func `reported fault: after a restore a cursor of the lost future was believed`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await phone.receive()
            try await phone.receive()
            let future = try await phone.inbox()
            try await stage.script(
                "UPDATE inboxes SET revision = 1; DELETE FROM deliveries WHERE changed > 1")
            let reset = try await phone.changes(since: future.cursor)
            #expect(reset.isReset && reset.changed.ids.count == 1)
            #expect(try await phone.inbox(etag: future.etag).status == 200)
        }
    }
}
