import ClientCore
import Foundation
import HTTPClient
import HTTPCore
import InboxClient
import InboxModel
import Platform
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the client library asks a real server, and what comes of it.
@Suite(.timeLimit(.minutes(10)))
struct ClientRefreshTests {
    @Test func `a refresh that finds nothing new tells nothing, and a body comes by its own request`()
        async throws
    {
        try await withServer { _, server, app in
            let inbox = try await AppDevice().start(app, at: server)
            #expect(await inbox.refresh())
            let id = try await server.send("One", to: #""all""#, of: app)
            #expect(await inbox.refresh())
            var updates = inbox.messageUpdates.makeAsyncIterator()
            #expect(await updates.next()?.map(\.id) == [id])
            for _ in 0..<3 { #expect(await inbox.refresh()) }
            let two = try await server.send("Two", to: #""all""#, of: app)
            #expect(await inbox.handlePush(["_uamid": two]) == .newData)
            #expect(await inbox.handlePush(["_uamid": [two]]) == .noData)
            #expect(await updates.next()?.map(\.id) == [two, id])

            let request = try await inbox.bodyRequest(for: id)
            let (body, answer) = try await URLSession.shared.data(for: request)
            #expect((answer as? HTTPURLResponse)?.statusCode == 200)
            #expect(String(decoding: body, as: UTF8.self) == "<p>One</p>")
            #expect(await inbox.message(bodyURL: try #require(request.url))?.id == id)
            await inbox.close()
        }
    }

    @Test func `the filter by named user holds for list, count and body`() async throws {
        try await withServer { installation, server, app in
            let app = try await installation.makeApp("Other", "--identity", "trusted")
            let inbox = try await AppDevice().start(app, at: server) { $0.filter = .on(untargeted: false) }
            #expect(await inbox.refresh())
            for person in ["ana", "ben"] {
                try await server.send(
                    "For \(person)", to: #""all""#, of: app,
                    also: #","extra":{"named_user_id":"\#(person)"}"#)
            }
            #expect(await inbox.refresh())
            #expect(await inbox.messages.isEmpty)
            try await inbox.logIn(as: "ana")
            #expect(await inbox.refresh())
            #expect(await inbox.messages.map(\.title) == ["For ana"])
            let hers = try #require(await inbox.messages.first?.id)
            try await inbox.logIn(as: "ben")
            #expect(await inbox.messages.map(\.title) == ["For ben"])
            #expect(await inbox.unreadCount == 1)
            await #expect(throws: InboxClientError.noSuchMessage) { try await inbox.bodyRequest(for: hers) }
            await inbox.close()
        }
    }

    @Test func `a server that does not answer ends a refresh at its limit, and a later one works`()
        async throws
    {
        try await withServer { _, server, app in
            let inbox = try await AppDevice().start(app, at: server)
            #expect(await inbox.refresh())
            server.program.stop()
            let watch = Stopwatch()
            await #expect(throws: InboxClientError.timedOut) { try await inbox.refresh(within: .seconds(1)) }
            #expect(watch.elapsed >= .seconds(1) && watch.elapsed < .seconds(5))
            server.program.send(signal: SIGCONT)
            let id = try await server.send("Late", to: #""all""#, of: app)
            #expect(try await inbox.refresh(within: .seconds(60)))
            #expect(await inbox.message(id: id) != nil)
            await inbox.close()
        }
    }

    @Test func `wrong credentials and a server that is not there are told, and refreshes are false`()
        async throws
    {
        try await withServer { _, server, app in
            let wrong = try await AppDevice().start(app, at: server) {
                $0.appSecret = String(repeating: "x", count: 22)
            }
            var events = wrong.events.makeAsyncIterator()
            #expect(await wrong.refresh() == false)
            guard case .trouble(let trouble) = await events.next() else {
                Issue.record("no trouble was told")
                return
            }
            #expect(trouble.kind == .unauthorized && !trouble.description.contains("xxx"))
            await #expect(throws: InboxClientError.notRegistered) {
                _ = try await wrong.bodyRequest(for: "AAAAAAAAAAAAAAAAAAAAAA")
            }
            await wrong.close()

            let alone = try await AppDevice().start(app, at: server) {
                $0.server = URL(fileURLWithPath: "/")
                if let nowhere = URL(string: "http://127.0.0.1:1/base") { $0.server = nowhere }
            }
            var troubles = alone.events.makeAsyncIterator()
            #expect(await alone.refresh() == false)
            guard case .trouble(let trouble) = await troubles.next() else {
                Issue.record("no trouble was told")
                return
            }
            #expect(trouble.kind == .unreachable)
            await alone.close()
        }
    }

    @Test func `over the client of a loop it follows the stream as well`() async throws {
        try await withServer { _, server, app in
            try await withLoop { loop in
                let client = HTTPClient(loop: loop)
                let end = WireEnd(
                    AppCredential(key: app.key, secret: app.app), at: server.base, over: client)
                var parts = InboxParts(MartletWire(end), at: server.base, store: MemoryStore(), seed: 1)
                parts.streams = client
                let result = await Task { [parts] in
                    let inbox = try await Inbox(parts)
                    await inbox.startWatching()
                    #expect(await inbox.refresh())
                    try await server.send("Over a loop", to: #""all""#, of: app)
                    await inbox.shows("Over a loop")
                    await inbox.close()
                }.result
                await Task(executorPreference: loop) { client.close() }.value
                try result.get()
            }
        }
    }

    @Test func `what an app kept in its folder is there at its next start, without a server`() async throws {
        try await withServer { _, server, app in
            var configuration = InboxConfiguration(
                server: try #require(URL(string: "\(server.base)")), appKey: app.key, appSecret: app.app,
                folder: URL(fileURLWithPath: try TestFolder.path()).appendingPathComponent("Inbox"))
            let first = try await Inbox(configuration)
            #expect(await first.refresh())
            let ids = [
                try await server.send("One", to: #""all""#, of: app),
                try await server.send("Two", to: #""all""#, of: app),
            ]
            #expect(await first.refresh())
            try await first.markRead(ids)
            try await first.delete([ids[0]])
            let authorization = await first.authorization
            await first.close()

            configuration.server = try #require(URL(string: "http://127.0.0.1:1"))
            let second = try await Inbox(configuration)
            #expect(await second.messages.map(\.id) == [ids[1]])
            #expect(await second.unreadCount == 0)
            #expect(await second.authorization == authorization)
            await second.close()
        }
    }

    @Test func `over the device interface it registers, lists, marks and filters as well`() async throws {
        try await withServer { installation, server, _ in
            let app = try await installation.makeApp("Airship", "--preset", "airship")
            let (phone, tablet) = (AppDevice(), AppDevice())
            let one = try await phone.start(app, at: server) { $0.wireForm = .device }
            let two = try await tablet.start(app, at: server) { $0.wireForm = .device }
            for inbox in [one, two] {
                try await inbox.logIn(as: "ana")
                #expect(await inbox.refresh())
            }
            for title in ["A", "B", "C"] {
                try await server.send(title, to: #"{"named_user":"ana"}"#, of: app)
            }
            #expect(await one.refresh())
            // Its lists tell whole seconds, but stand in the right order.
            #expect(await one.messages.map(\.title) == ["C", "B", "A"])
            var updates = one.messageUpdates.makeAsyncIterator()
            _ = await updates.next()
            #expect(await one.refresh())  // 304
            let (titles, ids) = (await one.messages.map(\.title), await one.messages.map(\.id))
            try await one.markRead([ids[0]])
            #expect(await updates.next()?.map(\.isUnread) == [false, true, true])
            try await one.delete([ids[1]])
            await #expect(throws: InboxClientError.notSupported("marking as unread")) {
                try await one.markUnread([ids[0]])
            }
            #expect(await one.refresh())
            #expect(await one.messages.map(\.id) == [ids[0], ids[2]])
            #expect(await one.unreadCount == 1)
            let request = try await one.bodyRequest(for: ids[2])
            let (body, _) = try await URLSession.shared.data(for: request)
            #expect(String(decoding: body, as: UTF8.self) == "<p>\(titles[2])</p>")
            #expect(await two.refresh())
            #expect(await two.messages.count >= 2)
            await one.close()
            await two.close()
        }
    }
}
