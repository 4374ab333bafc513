import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform
import Testing

/// Faults that users of comparable systems reported: unread counts and flags.
@Suite struct CountFaultTests {
    @Test func `reported fault: the unread number stayed when an unread message was deleted or had ended`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.stopClock(at: 1_800_000_000)
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await phone.receive()) }
            let passing = try await phone.receive { send in
                send.draft.expiry = .at(Instant(seconds: 1_800_000_002))
            }
            try await Self.expectCount(4, on: phone, "at first")
            try await stage.stopClock(at: 1_800_000_002)
            try await Self.expectCount(3, on: phone, "after the end of \(passing)")
            for (word, id, count) in [
                ("delete", ids[0], 2), ("read", ids[1], 1), ("read", ids[1], 1), ("delete", ids[1], 1),
                ("read", ids[0], 1), ("unread", ids[0], 1), ("read", passing, 1), ("read", ids[2], 0),
                ("unread", ids[2], 1),
            ] as [(String, String, Int64)] {
                let answer = try await phone.mark(word, [id])
                #expect(answer["unread_count"]?.asInteger == count)
                try await Self.expectCount(count, on: phone, "\(word) \(id)")
            }
        }
    }

    @Test func `reported fault: unread was a number, a text or the wrong way round`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let ids = [
                try await phone.receive(), try await stage.backend.send(to: .everyone, in: stage.acme),
            ]
            for isUnread in [true, false] {
                if !isUnread { #expect(await phone.batch("unread", ids).status == 200) }
                let texts = [
                    await phone.v1(.get, "/inbox").text, await phone.call(.get, "/messages/").text,
                ]
                for text in texts {
                    #expect(text.ranges(of: #""unread":\#(isUnread)"#).count == 2, "\(text)")
                    #expect(text.ranges(of: #""unread":"#).count == 2, "\(text)")
                }
                let single = await phone.v1(.get, "/inbox/messages/\(ids[0])")
                #expect(try single.json["unread"] == .bool(isUnread))
            }
        }
    }

    @Test func `reported fault: count and list disagreed after a while of marks, recalls and log-ins`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phones = [try await Phone.register(stage), try await Phone.register(stage)]
            var random = SeededRandom(seed: 25)
            var sent: [String] = []
            for step in 0..<200 {
                let phone = phones[Int.random(in: 0...1, using: &random)]
                let some = sent.shuffled(using: &random).prefix(2)
                switch Int.random(in: 0..<9, using: &random) {
                case 0: sent.append(try await stage.backend.send(to: .everyone, in: stage.acme))
                case 1: sent.append(try await phone.receive())
                case 2:
                    sent.append(
                        try await stage.backend.send(to: .namedUsers([NamedUserID("ana")]), in: stage.acme))
                case 3, 4: try await phone.mark("read", Array(some))
                case 5: try await phone.mark("unread", Array(some))
                case 6: try await phone.mark("delete", Array(some.prefix(1)))
                case 7: _ = step.isMultiple(of: 3) ? await phone.logOut() : await phone.login("ana")
                default:
                    guard let id = some.first else { continue }
                    let gone = await stage.call(.delete, "/v1/messages/\(id)", stage.acme.masterBasic)
                    #expect(gone.status == 204 || gone.status == 404)
                }
                let looking = phones[step % 2]
                let unread = try await looking.inbox("?unread=true").ids.count
                try await Self.expectCount(Int64(unread), on: looking, "step \(step)")
            }
        }
    }

    /// Holds every place that says the count to the same number.
    private static func expectCount(_ count: Int64, on phone: Phone, _ hint: String) async throws {
        let (inbox, list) = (try await phone.inbox(), try await phone.list())
        #expect(inbox.unreadCount == count && inbox.unread.count == count, "\(hint)")
        #expect(list.badge == count && list.unread.count == count, "\(hint)")
        let alone = await phone.v1(.get, "/inbox/unread-count")
        #expect(try alone.json["unread_count"]?.asInteger == count, "\(hint)")
    }
}
