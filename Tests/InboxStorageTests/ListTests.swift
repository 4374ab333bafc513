import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import Testing

@Suite struct ListTests {
    @Test func `a new device's list is empty and has a state`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let snapshot = try await room.snapshot(phone)
            #expect(snapshot.deliveries.isEmpty)
            #expect(snapshot.marks.isEmpty)
            #expect(snapshot.reader.deviceTypes == [DeviceTypes(.ios)])
            #expect(snapshot.reader.state == (try await room.reader(phone)).state)
        }
    }

    @Test func `a list is ordered by time, newest first, and by id as text where times are equal`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            for _ in 0..<12 { try await room.send(to: .channel(phone), in: acme) }
            try room.script("UPDATE messages SET sent_ms = 1000; UPDATE deliveries SET sent_ms = 1000")
            let newest = try await room.send(to: .channel(phone), in: acme).message
            let ids = try await room.ids(phone)
            #expect(ids.count == 13)
            #expect(ids.first == newest)
            let texts = ids.dropFirst().map(\.text)
            #expect(texts == texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    @Test func `look-ups of one pass are answered each with its own user, and unknown users with nothing`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            let phones = [
                try await room.device(in: acme), try await room.device(in: globex),
                try await room.device(in: acme),
            ]
            let stranger = UserID(app: acme.app, key: 1)
            let foreign = UserID(app: globex.app, key: phones[0].user.key)
            async let one = room.credential(of: phones[0].user)
            async let two = room.credential(of: phones[1].user)
            async let three = room.credential(of: phones[2].user)
            async let none = room.credential(of: stranger)
            async let other = room.credential(of: foreign)
            let found = try await [one, two, three].map { $0?.reader.user }
            #expect(found == phones.map(\.user))
            #expect(try await none == nil)
            #expect(try await other == nil)
        }
    }

    @Test
    func `the stored date grows with each state, is kept for an equal one, and exceeds what a client has`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let first = try await room.save([1], of: phone)
            #expect(try await room.save([1], of: phone) == first)
            #expect(try await room.save([2], of: phone) > first)
            let withExpiry = try await room.save([2], of: phone, expiry: Instant(seconds: 5_000_000_000))
            #expect(withExpiry > first + 1)
            let ahead = withExpiry + 3600
            #expect(try await room.save([3], of: phone, received: ahead) == ahead + 1)
            #expect(try await room.save([4], of: phone, received: ahead + 30 * 86_400) == ahead + 2)
            let stored = try #require(try await room.store.credential(of: phone.user)?.stored)
            #expect(stored == StoredValidator(state: [4], soonestExpiry: nil, date: ahead + 2))
        }
    }

    @Test func `heads and bodies are found in their own app only`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            let phone = try await room.device(in: acme)
            let message = try await room.send("Grüße 😀", to: .channel(phone), in: acme).message
            let head = try #require(try await room.store.heads(of: [message], in: acme.app).first)
            #expect(head.title == "Grüße 😀")
            #expect(head.extra == ["a": "1"])
            #expect(head.bodyBytes == 9)
            #expect(head.expires.seconds - head.sent.seconds == 365 * 86_400)
            #expect(try await room.store.body(of: message, in: acme.app)?.bytes == Array("<p>Hi</p>".utf8))
            #expect(try await room.store.heads(of: [message], in: globex.app).isEmpty)
            #expect(try await room.store.body(of: message, in: globex.app) == nil)
            #expect(try await room.store.recall(message, in: globex.app, by: "master") == .unknown)
            #expect(try await room.store.message(message, in: globex.app) == nil)
        }
    }
}
