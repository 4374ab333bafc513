import EventLoop
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport
import Testing

/// Hints from one instance to another over real notifications.
@Suite(.timeLimit(.minutes(10)))
struct HintRelayTests {
    private let acme = AppID(rawValue: 1)

    @Test func `a change in one instance is heard in the other at once`() async throws {
        try await withInstances { one, two, _ in
            let heard = Heard(two.hints)
            await one.becomesAsked()
            one.hints.changed([InboxID(rawValue: 7)], of: acme)
            #expect(await heard.next().inboxes == [InboxKey(InboxID(rawValue: 7), of: acme)])
            one.hints.changed(acme)
            #expect(await heard.next().apps == [acme])
        }
    }

    @Test func `both watch: each hears the other, and neither itself twice`() async throws {
        try await withInstances { one, two, _ in
            let heard = (Heard(one.hints), Heard(two.hints))
            await one.becomesAsked()
            await two.becomesAsked()
            let mine = InboxKey(InboxID(rawValue: 1), of: acme)
            let yours = InboxKey(InboxID(rawValue: 2), of: acme)
            one.hints.changed([mine.inbox], of: acme)
            #expect(await heard.0.next().inboxes == [mine])
            #expect(await heard.1.next().inboxes == [mine])
            two.hints.changed([yours.inbox], of: acme)
            #expect(await heard.1.next().inboxes == [yours])
            #expect(await heard.0.next().inboxes == [yours], "its own hint did not come back")
        }
    }

    @Test func `an instance that nobody asks sends nothing`() async throws {
        try await withInstances { one, two, url in
            let notes = try await Notes(url)
            one.hints.changed([InboxID(rawValue: 7)], of: acme)
            let heard = Heard(two.hints)
            await one.becomesAsked()
            one.hints.changed([InboxID(rawValue: 8)], of: acme)
            _ = await heard.next()
            let texts = await notes.all(until: "=8")
            #expect(!texts.contains { $0.contains("=7") })
            await notes.close()
        }
    }

    @Test func `row 67: a listener whose backend is ended listens again, and everything is doubtful`()
        async throws
    {
        try await withInstances { one, two, url in
            let heard = Heard(two.hints)
            await one.becomesAsked()
            let ended: Int64 = try AdminConnection(url).value(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE 'LISTEN%'
                """)
            #expect(ended == 2)
            // Three changes while nobody listens; whether they are lost is all the same.
            for number in 1...3 { one.hints.changed([InboxID(rawValue: Int64(number))], of: acme) }
            while !(await heard.next().isAllDoubtful) {}
            one.hints.changed([InboxID(rawValue: 9)], of: acme)
            while await heard.next().inboxes.last?.inbox.rawValue != 9 {}
        }
    }

    @Test func `row 50: thousands of inboxes at once make no error, and their app is doubtful`() async throws
    {
        try await withInstances { one, two, _ in
            let heard = Heard(two.hints)
            await one.becomesAsked()
            one.hints.changed((1...3_000).map { InboxID(rawValue: Int64($0)) }, of: acme)
            var found: Set<InboxKey> = []
            while found.count < 3_000 { found.formUnion(await heard.next().inboxes) }
            one.hints.changed((1...3_001).map { InboxID(rawValue: Int64($0)) }, of: acme)
            #expect(await heard.next().doubtfulApps == [acme])
        }
    }

    @Test func `row 68: a connection that is busy delays hints and loses none`() async throws {
        try await withInstances { one, two, _ in
            let heard = Heard(two.hints)
            await one.becomesAsked()
            try await one.block()
            for number in 1...50 { one.hints.changed([InboxID(rawValue: Int64(number))], of: acme) }
            try await one.unblock()
            var found: Set<InboxKey> = []
            while found.count < 50 { found.formUnion(await heard.next().inboxes) }
        }
    }

    @Test func `an instance that watches no more is forgotten`() async throws {
        var pace = HintRelay.Pace()
        (pace.word, pace.forget) = (.milliseconds(20), .milliseconds(60))
        try await withInstances(pace: pace) { one, two, url in
            let notes = try await Notes(url)
            let heard = Heard(two.hints)
            await one.becomesAsked()
            heard.leave()
            await one.becomesUnasked()
            one.hints.changed([InboxID(rawValue: 7)], of: acme)
            let again = Heard(two.hints)
            await one.becomesAsked()
            one.hints.changed([InboxID(rawValue: 8)], of: acme)
            while await again.next().inboxes.last?.inbox.rawValue != 8 {}
            #expect(!(await notes.all(until: "=8")).contains { $0.contains("=7") })
            await notes.close()
        }
    }
}
