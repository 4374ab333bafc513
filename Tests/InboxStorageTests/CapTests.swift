import Foundation
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import Testing

/// The newest deliveries that an inbox keeps, and the newest broadcasts of an app.
@Suite struct CapTests {
    @Test func `the delivery beyond the cap removes the oldest, and none below the floor returns`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", cap: 3)
            let phone = try await room.device(in: acme)
            var sent: [MessageID] = []
            for number in 1...3 {
                sent.append(try await room.send("\(number)", to: .channel(phone), in: acme).message)
            }
            #expect(try await Set(room.ids(phone)) == Set(sent), "at the cap nothing falls out")
            try room.script(
                """
                UPDATE deliveries d SET sent_ms = 1000 * t.n FROM (
                    SELECT message_id, row_number() OVER (ORDER BY added) AS n FROM deliveries) t
                WHERE t.message_id = d.message_id
                """)
            let state = try await room.reader(phone).state
            sent.append(try await room.send("4", to: .channel(phone), in: acme).message)
            #expect(try await room.ids(phone) == [sent[3], sent[2], sent[1]])
            #expect(try await room.reader(phone).state != state)

            try await room.mark([sent[1], sent[2]], by: phone, as: .delete)
            let late = try await room.sendDated(1, to: phone, in: acme)
            #expect(try await room.ids(phone) == [sent[3]], "below the floor it is born deleted")
            #expect(late.recipients == 1)
            let above = try await room.sendDated(2500, to: phone, in: acme)
            #expect(try await room.ids(phone) == [sent[3], above.message])
        }
    }

    @Test func `an inbox that took over another's deliveries holds no more than the cap either`() async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", cap: 4)
            let phone = try await room.device(in: acme)
            for _ in 0..<4 { try await room.send(to: .channel(phone), in: acme) }
            let channel = try await room.channel(in: acme)
            try await room.attach(channel, to: phone)
            #expect(try await room.ids(phone).count == 4)
            let sent = try await room.send(to: .channels([channel], type: nil), in: acme).message
            let ids = try await room.ids(phone)
            #expect(ids.count == 4 && ids.contains(sent))
            let below = try room.number(
                """
                SELECT count(*) FROM inboxes i WHERE revision < (
                    SELECT count(*) FROM deliveries d WHERE d.app_id = i.app_id AND d.inbox_id = i.inbox_id)
                """)
            #expect(below == 0)
        }
    }

    @Test func `revisions of before are raised to the number of deliveries, and no others`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phones = [try await room.device(in: acme), try await room.device(in: acme)]
            for _ in 0..<3 { try await room.send(to: .channel(phones[0], phones[1]), in: acme) }
            let inbox = try await room.reader(phones[0]).state.device.rawValue
            try room.script(
                """
                UPDATE inboxes SET revision = 1 WHERE inbox_id = \(inbox);
                UPDATE inboxes SET revision = 9 WHERE inbox_id <> \(inbox)
                """)
            let migration = try #require(Schema.migrations.first { $0.name == "raise_revisions" })
            try room.script(String(decoding: migration.sql, as: UTF8.self))
            #expect(try await room.reader(phones[0]).state.deviceRevision.rawValue == 3)
            #expect(try await room.reader(phones[1]).state.deviceRevision.rawValue == 9)
        }
    }

    @Test func `a broadcast beyond the cap moves the app's floor`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", cap: 2)
            for _ in 0..<2 { try await room.send(to: .everyone, in: acme) }
            let before = try await room.log(of: acme)
            #expect(before.compactMap(\.floor).isEmpty)
            try await room.send(to: .everyone, in: acme)
            let after = try await room.log(of: acme)
            let oldest = before.compactMap(\.position).max { one, other in
                (other.sent, one.message.text) < (one.sent, other.message.text)
            }
            #expect(after.last?.floor == oldest)
            let positions = after.compactMap(\.position)
            #expect(
                positions.count == 2 && !positions.contains { $0 == oldest }, "what is gone is not read again"
            )
        }
    }

    @Test func `a larger cap brings no broadcast back`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme", cap: 1)
            for second in 1...3 { try await room.broadcast(at: second, in: acme) }
            let floor = try await room.log(of: acme).last?.floor
            try room.script("UPDATE apps SET inbox_cap = 3")
            try await room.broadcast(at: 4, in: acme)
            try await room.broadcast(at: 5, in: acme)
            #expect(try await room.log(of: acme).last?.floor == floor)
            try await room.broadcast(at: 6, in: acme)
            let last = try #require(try await room.log(of: acme).last?.floor)
            #expect(last.sent == Instant(seconds: 1_900_000_003), "of four that are left, the oldest goes")
            // One that is behind the floor already does not move it.
            try await room.broadcast(at: 0, in: acme)
            #expect(try await room.log(of: acme).last?.floor == last)
        }
    }
}

extension StoreRoom {
    fileprivate func broadcast(at second: Int, in app: AppCredentials) async throws {
        try setClock("to_timestamp(1900000000 + \(second))")
        try await send(to: .everyone, in: app)
    }
}

extension LogEntry {
    /// Where a broadcast stands in lists.
    var position: ListPosition? {
        guard case .broadcast(let position, _, _, _) = kind else { return nil }
        return position
    }

    /// The floor that came with a broadcast.
    var floor: ListPosition? {
        guard case .broadcast(_, _, _, let floor) = kind else { return nil }
        return floor
    }
}
