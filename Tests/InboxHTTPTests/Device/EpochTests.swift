import HTTPCore
import InboxModel
import InboxService
import InboxStorage
import Postgres
import Testing

@testable import InboxHTTP

/// Two instances that go on running while their database becomes an older one.
@Suite(.timeLimit(.minutes(10)))
struct EpochTests {
    @Test func `rules 2, 3: after a restore lists show what was sent since, and nothing that was lost`()
        async throws
    {
        try await Restored.open { restored in
            let phones = restored.phones
            let first = try await restored.broadcast("A")
            try await restored.keep()
            let lost = [try await restored.broadcast("B"), try await restored.broadcast("C")]
            for phone in phones { #expect(try await phone.bothLists() == lost.reversed() + [first]) }
            try await restored.restore(saying: true)
            var shown = [first]
            for phone in phones { #expect(try await phone.bothLists() == shown) }
            for title in ["D", "E", "F"] {
                shown.insert(try await restored.broadcast(title), at: 0)
                for phone in phones { #expect(try await phone.bothLists() == shown) }
            }
        }
    }

    @Test func `rule 3: after a restore neither date nor tag nor cursor of a lost list is good for another`()
        async throws
    {
        try await Restored.open { restored in
            let phones = restored.phones
            _ = try await restored.broadcast("A")
            try await restored.keep()
            _ = try await restored.broadcast("B")
            let list = try await phones[0].list()
            let inbox = try await phones[0].inbox()
            try await restored.restore(saying: true)
            // The app's revision is again what it was with the lost broadcast.
            let second = try await restored.broadcast("C")
            for phone in phones {
                #expect(try await phone.list(since: list.lastModified).ids.first == second)
                #expect(try await phone.inbox(etag: inbox.etag).ids.first == second)
                let changes = try await phone.changes(since: inbox.cursor)
                #expect(changes.isReset && changes.changed.ids.first == second)
                #expect(await phone.body(second).status == 200)
            }
        }
    }

    @Test func `rule 8: a recall after a restore takes back, and a lost one is undone`() async throws {
        try await Restored.open { restored in
            let phones = restored.phones
            let first = try await restored.broadcast("A")
            let second = try await restored.broadcast("B")
            try await restored.keep()
            try await restored.recall(first)
            try await restored.recall(second)
            for phone in phones { #expect(try await phone.bothLists() == []) }
            try await restored.restore(saying: true)
            for phone in phones {
                #expect(try await phone.bothLists() == [second, first])
                #expect(await phone.body(first).status == 200)
            }
            try await restored.recall(second)
            for phone in phones {
                #expect(try await phone.bothLists() == [first])
                #expect(await phone.body(second).status == 404)
                #expect(await phone.body(first).status == 200)
            }
        }
    }

    @Test func `rule 10: what was sent after a restore expires, and pushes out, as if nothing had been lost`()
        async throws
    {
        try await Restored.open { restored in
            let phones = restored.phones
            try await restored.stage.script("UPDATE apps SET inbox_cap = 2")
            let first = try await restored.broadcast("A")
            try await restored.keep()
            for title in ["B", "C"] { _ = try await restored.broadcast(title, seconds: 100) }
            for phone in phones { _ = try await phone.bothLists() }
            try await restored.restore(saying: true)
            let second = try await restored.broadcast("D", seconds: 100)
            for phone in phones { #expect(try await phone.bothLists() == [second, first]) }
            let third = try await restored.broadcast("E")
            for phone in phones { #expect(try await phone.bothLists() == [third, second]) }
            try await restored.stage.advance(seconds: 200)
            for phone in phones { #expect(try await phone.bothLists() == [third]) }
        }
    }

    @Test func `a revision that goes back is noticed although nobody said so, and the operator is told`()
        async throws
    {
        try await Restored.open { restored in
            let phones = restored.phones
            let first = try await restored.broadcast("A")
            let second = try await restored.broadcast("B")
            try await restored.keep()
            try await restored.recall(second)
            for phone in phones { #expect(try await phone.bothLists() == [first]) }
            // As a failover does that loses the end.
            try await restored.restore(saying: false)
            for phone in phones { #expect(try await phone.bothLists() == [second, first]) }
            let third = try await restored.broadcast("C")
            for phone in phones { #expect(try await phone.bothLists() == [third, second, first]) }
            #expect(restored.lines.count == 2, "each instance says it once: \(restored.lines)")
            #expect(restored.lines.allSatisfy { $0.contains("martlet doctor --new-epoch") })
        }
    }

    @Test func `every stream is told of a new epoch, although its revisions are the same`() async throws {
        try await Restored.open(pace: .watchful) { restored in
            try await restored.stage.script("UPDATE apps SET broadcast_spread_seconds = 7")
            var watchers: [Watcher] = []
            for phone in restored.phones { watchers.append(try await phone.watch()) }
            for watcher in watchers { await watcher.heartbeat() }
            for _ in 0..<2 {
                try await restored.beginEpoch()
                for watcher in watchers { #expect(await watcher.next()?.data == #"{"within":7}"#) }
            }
            for watcher in watchers { await watcher.heartbeat() }
            #expect(watchers.allSatisfy { $0.all.count == 3 }, "once for each")
        }
    }
}
