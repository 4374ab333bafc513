import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct InboxTests {
    @Test func `an inbox shows messages with their state, where they are held, and a tag that earns 304`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            _ = await phone.login("ana")
            let own = try await phone.receive()
            let personal = try await stage.backend.send(
                to: .namedUsers([try NamedUserID("ana")]), in: stage.acme)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            try await phone.mark("read", [own])
            let inbox = try await phone.inbox()
            #expect(Set(inbox.ids) == [own, personal, common] && Set(inbox.unread) == [personal, common])
            #expect(inbox.holders == [own: "device", personal: "person", common: "app"])
            #expect(inbox.unreadCount == 2)
            #expect(try await phone.inbox(etag: inbox.etag).status == 304)
            #expect(try await phone.inbox(etag: "W/\"x\", \(try #require(inbox.etag))").status == 304)
            #expect(try await phone.inbox(etag: "*").status == 200)
        }
    }

    @Test func `reported fault: one way of writing did not move the validator`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            _ = await phone.login("ana")
            _ = await other.login("ana")
            let first = try await stage.backend.send(
                to: .namedUsers([try NamedUserID("ana")]), in: stage.acme)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            let acts: [@Sendable () async throws -> Void] = [
                { try await phone.receive() },
                { try await stage.backend.send(to: .everyone, in: stage.acme) },
                { try await other.mark("read", [first]) }, { try await other.mark("unread", [first]) },
                { try await other.mark("read", [common]) }, { try await other.mark("delete", [common]) },
                { try await other.mark("delete", [first]) },
                {
                    let newest = try await phone.inbox().ids[0]
                    try await stage.backend.recall(newest, in: stage.acme)
                },
                { _ = await phone.login("ben") },
            ]
            for (number, act) in acts.enumerated() {
                let before = try await phone.inbox()
                try await act()
                let after = try await phone.inbox(etag: before.etag)
                #expect(after.status == 200 && after.cursor != before.cursor, "act \(number)")
                #expect(try await phone.changes(since: before.cursor).isEmpty == false, "act \(number)")
            }
        }
    }

    @Test func `idle polls give the same tag and cursor, on every instance`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await phone.receive()
            let first = try await phone.inbox()
            #expect(try await phone.inbox().etag == first.etag)
            for _ in 0..<3 {
                let idle = try await phone.changes(since: first.cursor)
                #expect(idle.isEmpty && idle.cursor == first.cursor && idle.changed.unreadCount == 1)
            }
            try await stage.onAnotherInstance { other in
                let there = phone.on(other)
                let again = try await there.inbox(etag: first.etag)
                let changes = try await there.changes(since: first.cursor)
                #expect(again.status == 304 && changes.cursor == first.cursor)
            }
        }
    }

    @Test func `a message that expires leaves list, count, changes and body in that very second`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let short = try await phone.receive { $0.draft.expiry = .after(seconds: 60) }
            let before = try await phone.inbox()
            try await stage.advance(seconds: 61)
            let after = try await phone.inbox(etag: before.etag)
            #expect(after.status == 200 && after.ids.isEmpty && after.unreadCount == 0)
            let changes = try await phone.changes(since: before.cursor)
            #expect(changes.removed == [short] && changes.changed.unreadCount == 0)
            #expect(try await phone.changes(since: changes.cursor).isEmpty)
            #expect(await phone.v1(.get, "/inbox/messages/\(short)/body").status == 404)
            #expect(await phone.v1(.get, "/inbox/messages/\(short)").status == 404)
        }
    }

    @Test func `reported fault: deleting while paging made the tail unreachable`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for _ in 0..<30 { try await phone.receive() }
            let all = try await phone.inbox().ids
            let first = try await phone.inbox("?limit=10")
            #expect(first.ids == Array(all[..<10]) && first.unreadCount == 30)
            try await phone.mark("delete", first.ids)
            let second = try await phone.inbox("?limit=10&before=\(first.next ?? "")")
            #expect(second.ids == Array(all[10..<20]))
            let third = try await phone.inbox("?limit=10&before=\(second.next ?? "")")
            #expect(third.ids == Array(all[20...]) && third.next == nil)
        }
    }

    @Test func `reported fault: paging returned what newer messages had pushed down`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for _ in 0..<20 { try await phone.receive() }
            let all = try await phone.inbox().ids
            let first = try await phone.inbox("?limit=10")
            for _ in 0..<3 { try await phone.receive() }
            let second = try await phone.inbox("?limit=10&before=\(first.next ?? "")")
            #expect(first.ids + second.ids == all && second.next == nil)
            #expect(try await phone.inbox("?limit=10&before=\(all.count)-\(all[19])").ids.isEmpty)
        }
    }

    @Test func `filters pick by unread and extra, and the count is that of the list`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let red = try await phone.receive { $0.draft.extra = ["colour": "red", "size": "a b&c"] }
            let blue = try await phone.receive { $0.draft.extra = ["colour": "blue"] }
            let read = try await phone.receive { $0.draft.extra = ["colour": "red"] }
            try await phone.mark("read", [read])
            let reds = try await phone.inbox("?extra.colour=red")
            #expect(Set(reds.ids) == [red, read] && reds.unreadCount == 1)
            #expect(try await phone.inbox("?extra.colour=red&unread=true").ids == [red])
            #expect(try await phone.inbox("?extra.colour=red&extra.size=a+b%26c").ids == [red])
            #expect(Set(try await phone.inbox("?unread=true").ids) == [red, blue])
            #expect(try await phone.inbox("?extra.colour=Red").ids.isEmpty)
            let count = await phone.v1(.get, "/inbox/unread-count?extra.colour=red")
            #expect(try count.json["unread_count"]?.asInteger == 1)
            #expect(try await phone.v1(.get, "/inbox/unread-count").json["unread_count"]?.asInteger == 2)
            let filtered = try await phone.inbox("?extra.colour=red")
            #expect(try await phone.inbox("?extra.colour=blue", etag: filtered.etag).status == 200)
            #expect(try await phone.inbox("?extra.colour=red", etag: filtered.etag).status == 304)
        }
    }

    @Test(arguments: [
        ("limit=0", "limit"), ("limit=10001", "limit"), ("limit=x", "limit"), ("limit=", "limit"),
        ("before=x", "before"), ("before=", "before"),
        ("before=1-\(String(repeating: "~", count: 22))", "before"),
        ("before=99999999999999999999-\(String(repeating: "A", count: 22))", "before"),
        ("unread=1", "unread"), ("unraed=true", "unraed"), ("unknown", "unknown"),
        ("extra.=1", "extra."), ("extra.a=%00", "extra.a"), ("extra.a=1&extra.a=2", "extra.a"),
        ((0...10).map { "extra.k\($0)=1" }.joined(separator: "&"), "extra.k10"),
    ])
    func `a faulty query is refused by the name of its parameter`(query: String, field: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let answer = await phone.v1(.get, "/inbox?\(query)")
            #expect(answer.status == 400)
            #expect(try answer.json["field"]?.asText == field)
        }
    }

    @Test(arguments: [
        "limit=1", "limit=10000", "unread=false",
        (0..<10).map { "extra.k\($0)=" }.joined(separator: "&"),
    ])
    func `a query within its limits is answered`(query: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(try await phone.inbox("?\(query)").status == 200)
        }
    }
}
