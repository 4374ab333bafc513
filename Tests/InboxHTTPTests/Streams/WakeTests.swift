import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import Testing

/// What wakes which streams.
@Suite(.timeLimit(.minutes(10)))
struct WakeTests {
    @Test func `what a device marks wakes the person's other device, and its own other windows`() async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phones = [try await Phone.register(stage), try await Phone.register(stage)]
            for phone in phones { #expect(await phone.login("ana").status == 200) }
            let message = try await stage.backend.send(to: .namedUsers([NamedUserID("ana")]), in: stage.acme)
            let watchers = [
                try await phones[0].watch(), try await phones[0].watch(), try await phones[1].watch(),
            ]
            #expect(await phones[0].batch("unread", [message]).status == 200)
            for watcher in watchers { #expect(await watcher.next()?.name == "changed") }
            #expect(try await phones[1].list().unread == [])
            let ids = watchers.flatMap { $0.all.compactMap(\.id) }
            #expect(ids.count == 6 && Set(ids).count == 6, "each event has an id of its own")
        }
    }

    @Test func `a send wakes whom it reaches; another tenant and another device hear nothing`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let foreign = try await Phone.register(stage, stage.globex)
            let watchers = [try await phone.watch(), try await other.watch(), try await foreign.watch()]
            try await stage.backend.send(to: try phone.audience, in: stage.acme)
            #expect(await watchers[0].next()?.name == "changed")
            try await stage.backend.send(to: .everyone, in: stage.acme)
            #expect(await watchers[0].next()?.data == #"{"within":0}"#)
            #expect(await watchers[1].next()?.data == #"{"within":0}"#, "the first send was none of its")
            // The first that the other tenant hears is its own.
            try await stage.backend.send(to: try foreign.audience, in: stage.globex)
            #expect(await watchers[2].next()?.data == "{}")
            #expect(watchers[2].all.count == 2)
        }
    }

    @Test func `a recall wakes whoever held the message, and a mark that changes nothing wakes nobody`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let watcher = try await phone.watch()
            #expect(await phone.batch("unread", [message]).status == 200)
            #expect(await watcher.next()?.name == "changed")
            #expect(await phone.batch("unread", [message]).status == 200)
            try await stage.backend.recall(message, in: stage.acme)
            #expect(await watcher.next()?.name == "changed")
            #expect(watcher.all.count == 3)
        }
    }

    @Test func `a user who moves to another channel keeps the stream, which then watches that one`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            let channel = try await Phone.newChannel(stage, stage.acme)
            #expect(await phone.call(.post, "/", #"{"ios_channels":{"add":["\#(channel)"]}}"#).status == 200)
            #expect(await watcher.next()?.name == "changed")
            let audience = Audience.channels([try #require(ChannelID(text: channel))], type: nil)
            try await stage.backend.send(to: audience, in: stage.acme)
            #expect(await watcher.next()?.name == "changed")
        }
    }

    @Test func `a change on one instance wakes a stream on another`() async throws {
        try await DeviceStage.open(delivery: .person, pace: .blind) { stage in
            let phones = [try await Phone.register(stage), try await Phone.register(stage)]
            for phone in phones { #expect(await phone.login("ana").status == 200) }
            let message = try await stage.backend.send(to: .namedUsers([NamedUserID("ana")]), in: stage.acme)
            try await stage.onLinkedInstance { other, link in
                let watcher = try await phones[0].watch()
                await link.becomesAsked()
                #expect(await phones[1].on(other).batch("delete", [message]).status == 200)
                #expect(await watcher.next()?.name == "changed")
                #expect(try await phones[0].list().ids == [])
                #expect(await phones[0].on(other).logout().status == 200)
                #expect(await watcher.next()?.data == #"{"reason":"logged_out","retry":true}"#)
            }
        }
    }

    @Test
    func `row 11: what came while a client was away and what comes right after are both there, in order`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let first = try await phone.watch()
            var cursor = try await phone.inbox().cursor
            await first.leave()
            var sent: [String] = []
            for title in ["m1", "m2"] {
                sent.append(try await stage.backend.send(title, to: try phone.audience, in: stage.acme))
            }
            let again = try await phone.watch()
            var found: [String] = []
            sent.append(try await stage.backend.send("m3", to: try phone.audience, in: stage.acme))
            // As a client does: after `ready`, and again after each event, by its own cursor.
            for _ in 0..<2 {
                let page = try await phone.changes(since: cursor)
                found += page.changed.ids
                cursor = page.cursor
                if found.count < 3 { #expect(await again.next()?.name == "changed") }
            }
            #expect(Set(found) == Set(sent) && found.count == 3, "each once")
        }
    }
}

/// What finds changes that nobody told of.
@Suite(.timeLimit(.minutes(10)))
struct NetTests {
    @Test func `a change that no hint told of is found by its revision`() async throws {
        try await DeviceStage.open(pace: .watchful) { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            try await stage.onAnotherInstance { other in
                for _ in 0..<2 {
                    let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
                    #expect(await watcher.next()?.name == "changed")
                    #expect(await phone.on(other).batch("unread", [message]).status == 200)
                    #expect(await watcher.next()?.name == "changed")
                }
                #expect(await phone.on(other).login("ana").status == 200)
                #expect(await watcher.next()?.data == #"{"reason":"person_changed","retry":true}"#)
            }
        }
    }

    @Test func `settings and broadcasts that no hint told of are found, and told to all of the app`()
        async throws
    {
        try await DeviceStage.open(pace: .watchful) { stage in
            let phones = [try await Phone.register(stage), try await Phone.register(stage)]
            let foreign = try await Phone.register(stage, stage.globex)
            let watchers = [try await phones[0].watch(), try await phones[1].watch()]
            let stranger = try await foreign.watch()
            try await stage.script(
                """
                UPDATE apps SET revision = revision + 1, settings_revision = settings_revision + 1,
                    broadcast_spread_seconds = 90
                WHERE name = 'acme'
                """)
            for watcher in watchers { #expect(await watcher.next()?.data == #"{"within":90}"#) }
            for watcher in watchers { await watcher.heartbeat() }
            #expect(watchers.allSatisfy { $0.all.count == 2 } && stranger.all.count == 1)
        }
    }

    @Test func `what is doubtful is looked at at once`() async throws {
        try await DeviceStage.open(pace: .blind) { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            try await stage.script("UPDATE inboxes SET revision = revision + 1")
            var batch = HintBatch()
            batch.doubtAll()
            stage.configuration.hints.pass(batch)
            #expect(await watcher.next()?.name == "changed")
            try await stage.script("UPDATE inboxes SET revision = revision + 1")
            batch = HintBatch()
            batch.doubt(AppID(rawValue: 1))
            stage.configuration.hints.pass(batch)
            #expect(await watcher.next()?.name == "changed")
            try await stage.script("UPDATE apps SET revision = revision + 1")
            stage.configuration.hints.pass(batch)
            #expect(await watcher.next()?.data == #"{"within":0}"#)
        }
    }

    @Test func `an app that is deleted ends its streams for good`() async throws {
        try await DeviceStage.open(pace: .watchful) { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            try await stage.script("DELETE FROM deliveries; DELETE FROM apps WHERE name = 'acme'")
            #expect(await watcher.next()?.data == #"{"reason":"erased","retry":false}"#)
        }
    }

    @Test func `row 70: connections that are lost end no stream, and lose no change`() async throws {
        try await DeviceStage.open(pace: .watchful) { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            for _ in 0..<3 {
                try await stage.script(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
                try await stage.script("UPDATE inboxes SET revision = revision + 1")
                #expect(await watcher.next()?.name == "changed")
            }
        }
    }
}

extension StreamPace {
    /// Reads revisions many times a second, and looks no credential up.
    static let watchful: StreamPace = {
        var pace = StreamPace()
        (pace.heartbeat, pace.poll, pace.heartbeatsPerLookup) = (
            .milliseconds(120), .milliseconds(10), 1 << 40
        )
        return pace
    }()

    /// Finds nothing that no hint told of.
    static let blind: StreamPace = {
        var pace = StreamPace()
        (pace.heartbeat, pace.poll) = (.seconds(3600), .seconds(3600))
        return pace
    }()
}
