import HTTPCore
import InboxModel
import InboxService
import Testing

@Suite struct InstanceTests {
    @Test func `rule 2: what one instance answered is in the next list of another, at the same date`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.onAnotherInstance { other in
                let elsewhere = phone.on(other)
                var list = try await phone.list()
                for round in 0..<10 {
                    let message = try await stage.backend.send(
                        to: round % 2 == 0 ? .everyone : try phone.audience, in: stage.acme)
                    list = try await elsewhere.list(since: list.lastModified)
                    #expect(list.status == 200 && list.unread == [message])
                    #expect(try await phone.list(since: list.lastModified).status == 304)
                    #expect(await phone.batch("unread", [message]).status == 200)
                    let read = try await elsewhere.list(since: list.lastModified)
                    #expect(read.status == 200 && read.unread.isEmpty && read.ids == [message])
                    #expect(await elsewhere.batch("delete", [message]).status == 200)
                    #expect(try await phone.list(since: read.lastModified).ids.isEmpty)
                }
            }
        }
    }

    @Test
    func `what fell below the app's floor returns on no instance, also when what pushed it out expired`()
        async throws
    {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 2")
            let phone = try await Phone.register(stage)
            func broadcast(seconds: Int64) async throws -> String {
                try await stage.backend.send(to: .everyone, in: stage.acme) {
                    $0.draft.expiry = .after(seconds: seconds)
                }
            }
            _ = try await broadcast(seconds: 9000)
            let second = try await broadcast(seconds: 9000)
            #expect(try await phone.list().ids.count == 2)
            let third = try await broadcast(seconds: 100)
            #expect(try await phone.list().ids == [third, second])
            let fourth = try await broadcast(seconds: 100)
            try await stage.onAnotherInstance { other in
                let list = try await phone.on(other).list()
                #expect(list.ids == [fourth, third])
            }
            try await stage.advance(seconds: 200)
            #expect(try await phone.list().ids == [])
            try await stage.onAnotherInstance { other in
                let list = try await phone.on(other).list()
                #expect(list.ids == [])
            }
        }
    }
}
