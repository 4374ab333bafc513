import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct ConcurrencyTests {
    @Test func `parallel lists and registrations during sends show every message once`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let attach = #"{"ios_channels":{"add":["\#(phone.channel)"]}}"#
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<20 {
                    group.addTask {
                        try await stage.backend.send(
                            to: round % 4 == 0 ? .everyone : try phone.audience, in: stage.acme)
                    }
                    group.addTask {
                        let ids = try await phone.list().ids
                        #expect(Set(ids).count == ids.count)
                    }
                    group.addTask { #expect(await phone.call(.post, "/", attach).status == 200) }
                }
                try await group.waitForAll()
            }
            let list = try await phone.list()
            #expect(list.ids.count == 20 && Set(list.ids).count == 20 && list.badge == 20)
            #expect(try await phone.list(since: list.lastModified).status == 304)
        }
    }

    @Test func `parallel log-ins leave the device with one person, and the other's messages never reach it`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            for _ in 0..<5 {
                await withTaskGroup(of: Void.self) { group in
                    for name in ["ana", "ben", "ana", "ben"] {
                        group.addTask { #expect(await phone.login(name).status == 200) }
                    }
                }
                let ana = try await stage.backend.send(to: .namedUsers([NamedUserID("ana")]), in: stage.acme)
                let ben = try await stage.backend.send(to: .namedUsers([NamedUserID("ben")]), in: stage.acme)
                let ids = try await phone.list().ids
                #expect(ids.contains(ana) != ids.contains(ben))
            }
        }
    }

    @Test func `parallel marks of the same messages settle at what all said`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var ids: [String] = []
            for _ in 0..<10 {
                ids.append(try await stage.backend.send(to: try phone.audience, in: stage.acme))
            }
            let (kept, deleted) = (ids[..<5], ids[5...])
            await withTaskGroup(of: Void.self) { [ids] group in
                for _ in 0..<8 {
                    group.addTask { #expect(await phone.batch("unread", ids).status == 200) }
                    group.addTask { #expect(await phone.batch("delete", Array(deleted)).status == 200) }
                }
            }
            let list = try await phone.list()
            #expect(Set(list.ids) == Set(kept) && list.unread.isEmpty && list.badge == 0)
        }
    }

    @Test func `a batch of thousands of ids is taken, and the one that is held is marked`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let unknown = (0..<5000).map { MessageID(high: 7, low: $0).text }
            #expect(await phone.batch("unread", unknown + [message]).status == 200)
            #expect(try await phone.list().badge == 0)
        }
    }
}
