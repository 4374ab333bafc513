import HTTPCore
import InboxHTTP
import InboxModel
import InboxWire
import Testing

/// How a stream begins, and why it ends.
@Suite(.timeLimit(.minutes(10)))
struct StreamTests {
    @Test func `a stream begins with ready, under headers that keep proxies from holding it back`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let answer = await stage.call(.get, "/v1/inbox/events", phone.basic)
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(answer.headers["content-type"] == "text/event-stream")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.headers["x-accel-buffering"] == "no")
            let watcher = try await Watcher(answer, on: stage.shard.loop)
            #expect(await watcher.next()?.name == "ready")
        }
    }

    @Test func `whoever proves nothing gets 401 and no stream`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for authorization in [
                nil, DeviceStage.App.basic(phone.user, "wrong"),
                DeviceStage.App.basic("nobody", phone.password),
                stage.acme.basic,
            ] {
                let answer = await stage.call(.get, "/v1/inbox/events", authorization)
                #expect(answer.status == 401 && answer.stream == nil)
                #expect(answer.headers["www-authenticate"] != nil)
            }
        }
    }

    @Test func `HEAD gets the headers and opens nothing`() async throws {
        var limits = Limits()
        limits.streamsPerCredential = 1
        try await DeviceStage.open(limits: limits) { stage in
            let phone = try await Phone.register(stage)
            for _ in 0..<3 {
                let answer = await stage.call(.head, "/v1/inbox/events", phone.basic)
                #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream")
            }
            _ = try await phone.watch()
        }
    }

    @Test func `one credential may have 10 streams, and another after one of them has ended`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            var watchers: [Watcher] = []
            for _ in 0..<10 { watchers.append(try await phone.watch()) }
            let refused = await stage.call(.get, "/v1/inbox/events", phone.basic)
            #expect(refused.status == 429 && refused.stream == nil)
            #expect(try refused.json["code"]?.asText == "rate_limited")
            #expect(try refused.json["limit"]?["name"]?.asText == "streams_per_credential")
            #expect(try refused.json["limit"]?["value"]?.asInteger == 10)
            #expect(refused.headers["retry-after"] == "10")
            _ = try await other.watch()
            await watchers[0].leave()
            _ = try await phone.watch()
            #expect(await stage.call(.get, "/v1/inbox/events", phone.basic).status == 429)
        }
    }

    @Test(arguments: [
        "DELETE FROM inbox_users", "UPDATE inbox_users SET password_digest = sha256('another')",
    ])
    func `row 37: a credential that is void ends its stream for good, although nobody told of it`(
        change: String
    ) async throws {
        try await DeviceStage.open(pace: .fast) { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            try await stage.script(change)
            let end = try #require(await watcher.next())
            #expect(end.name == "end" && end.data == #"{"reason":"credentials","retry":false}"#)
            #expect(await watcher.next() == nil)
            #expect(await stage.call(.get, "/v1/inbox/events", phone.basic).status == 401)
        }
    }

    @Test
    func `row 34: a password that is rotated ends the stream at once where it is known, and elsewhere soon`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            try await stage.script("UPDATE inbox_users SET password_digest = sha256('another')")
            // As whoever rotates it tells.
            try await stage.touch(phone)
            #expect(await watcher.next()?.data == #"{"reason":"credentials","retry":false}"#)
        }
    }

    @Test func `a stream of somebody who was erased ends so: a session's for good, a device's to come back`()
        async throws
    {
        try await DeviceStage.open(pace: .fast) { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.login("ana").status == 200)
            let watcher = try await phone.watch()
            let session = try await stage.session(of: "ana")
            let page = try await stage.watch(session)
            try await stage.script(
                """
                BEGIN;
                UPDATE inboxes SET person_id = NULL, revision = revision + 1 WHERE person_id IS NOT NULL;
                DELETE FROM inboxes i USING named_users n WHERE n.inbox_id = i.inbox_id;
                COMMIT
                """)
            #expect(await watcher.next()?.data == #"{"reason":"erased","retry":true}"#)
            #expect(await page.next()?.data == #"{"reason":"erased","retry":false}"#)
        }
    }

    @Test func `logging in or out ends the stream, since the view is another one`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var watcher = try await phone.watch()
            #expect(await phone.login("ana").status == 200)
            #expect(await watcher.next()?.data == #"{"reason":"person_changed","retry":true}"#)
            watcher = try await phone.watch()
            #expect(await phone.login("ben").status == 200)
            #expect(await watcher.next()?.data == #"{"reason":"person_changed","retry":true}"#)
            watcher = try await phone.watch()
            #expect(await phone.logout().status == 200)
            #expect(await watcher.next()?.data == #"{"reason":"logged_out","retry":true}"#)
            #expect(await watcher.next() == nil)
        }
    }

    @Test(arguments: [1024, 64 << 10, 1 << 20])
    func `a client that takes nothing is let go at the next word`(most: Int) async throws {
        var pace = StreamPace()
        pace.waitingBytes = most
        try await DeviceStage.open(pace: pace) { stage in
            let phone = try await Phone.register(stage)
            let watchers = [try await phone.watch(), try await phone.watch(), try await phone.watch()]
            for (watcher, bytes) in zip(watchers, [most + 1, most, most - 1]) { watcher.stall(bytes: bytes) }
            try await stage.backend.send(to: try phone.audience, in: stage.acme)
            #expect(await watchers[0].next()?.data == #"{"reason":"slow","retry":true}"#)
            #expect(await watchers[0].next() == nil)
            for watcher in watchers[1...] { #expect(await watcher.next()?.name == "changed") }
        }
    }

    @Test func `a server that stops says so and bids the client come back`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let watcher = try await phone.watch()
            await watcher.close(.draining)
            #expect(await watcher.next()?.data == #"{"reason":"draining","retry":true}"#)
        }
    }

    @Test func `heartbeats come on every stream, again and again`() async throws {
        try await DeviceStage.open(pace: .fast) { stage in
            let phone = try await Phone.register(stage)
            let watchers = [try await phone.watch(), try await phone.watch()]
            for _ in 0..<3 { for watcher in watchers { await watcher.heartbeat() } }
            #expect(watchers.allSatisfy { $0.all.count == 1 }, "nothing else was said")
        }
    }
}

extension StreamPace {
    /// Looks at everything many times a second.
    static let fast: StreamPace = {
        var pace = StreamPace()
        (pace.heartbeat, pace.poll, pace.heartbeatsPerLookup) = (.milliseconds(120), .milliseconds(10), 2)
        return pace
    }()
}
