import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct FilterModeTests {
    private static func open(_ body: @escaping @Sendable (DeviceStage, Phone) async throws -> Void)
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            try await stage.script("UPDATE apps SET filter_mode = 2")
            try await body(stage, try await Phone.register(stage))
        }
    }

    @Test func `rule 14: what names another person is in no list, count, change or body`() async throws {
        try await Self.open { stage, phone in
            let naming: @Sendable (String?) -> @Sendable (inout Send) -> Void = { name in
                { send in send.draft.extra = name.map { ["named_user_id": $0] } ?? [:] }
            }
            let start = try await phone.inbox().cursor
            let (ana, ben) = (
                try await phone.receive(change: naming("ana")), try await phone.receive(change: naming("ben"))
            )
            let none = try await phone.receive(change: naming(nil))
            let common = try await stage.backend.send(to: .everyone, in: stage.acme, change: naming("ben"))
            #expect(try await phone.inbox().ids.isEmpty)
            #expect(try await phone.list().ids.isEmpty)
            #expect(try await phone.changes(since: start).changed.ids.isEmpty)
            _ = await phone.login("ana")
            #expect(try await phone.inbox().ids == [ana])
            #expect(try await phone.list().ids == [ana])
            #expect(try await phone.inbox().unreadCount == 1)
            for hidden in [ben, none, common] {
                #expect(await phone.v1(.get, "/inbox/messages/\(hidden)/body").status == 404)
                #expect(await phone.v1(.get, "/inbox/messages/\(hidden)").status == 404)
                #expect(await phone.body(hidden).status == 404)
            }
            #expect(await phone.v1(.get, "/inbox/messages/\(ana)/body").status == 200)
            _ = await phone.login("ben")
            #expect(Set(try await phone.inbox().ids) == [ben, common])
        }
    }

    @Test func `rule 14: where clients filter, the server delivers everything of the channel`() async throws {
        try await Self.open { stage, phone in
            try await stage.script("UPDATE apps SET filter_mode = 1")
            _ = await phone.login("ana")
            let ben = try await phone.receive { $0.draft.extra = ["named_user_id": "ben"] }
            let none = try await phone.receive()
            let common = try await stage.backend.send(to: .everyone, in: stage.acme) {
                $0.draft.extra = ["named_user_id": "ben"]
            }
            let all = Set([ben, none, common])
            let inbox = try await phone.inbox()
            #expect(Set(inbox.ids) == all && inbox.unreadCount == 3)
            #expect(Set(try await phone.list().ids) == all)
            for id in all { #expect(await phone.v1(.get, "/inbox/messages/\(id)/body").status == 200) }
            try await phone.mark("read", [ben, common])
            #expect(try await phone.inbox().unread == [none])
        }
    }

    @Test func `rule 14: what is hidden is not marked`() async throws {
        try await Self.open { stage, phone in
            let ben = try await phone.receive { $0.draft.extra = ["named_user_id": "ben"] }
            _ = await phone.login("ana")
            for word in ["read", "delete"] { try await phone.mark(word, [ben]) }
            #expect(await phone.batch("delete", [ben]).status == 200)
            #expect(await phone.markAll("delete", upTo: try await phone.inbox().cursor).status == 200)
            _ = await phone.login("ben")
            #expect(try await phone.inbox().unread == [ben])
        }
    }

    @Test func `rule 14: the person's own inbox passes, and untargeted ones if the app says so`() async throws
    {
        try await Self.open { stage, phone in
            _ = await phone.login("ana")
            let untargeted = try await phone.receive()
            let own = try await stage.backend.send(to: .namedUsers([try NamedUserID("ana")]), in: stage.acme)
            #expect(try await phone.inbox().ids == [own])
            try await stage.script(
                "UPDATE apps SET filter_untargeted = true, settings_revision = settings_revision + 1")
            #expect(Set(try await phone.inbox().ids) == [own, untargeted])
        }
    }
}
