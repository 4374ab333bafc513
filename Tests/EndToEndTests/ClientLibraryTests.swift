import Foundation
import HTTPCore
import InboxClient
import Platform
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The client library over `URLSession` and `/v1`, against the real server.
@Suite(.timeLimit(.minutes(10)))
struct ClientLibraryTests {
    private let clock = SystemClock()

    @Test func `what is sent shows without a refresh, and two devices of a person stay in step`() async throws
    {
        try await withServer { installation, server, app in
            let key = try await installation.makeProofKey("Acme")
            let (phone, tablet) = (AppDevice(), AppDevice())
            let one = try await phone.startWatching(app, at: server)
            let two = try await tablet.startWatching(app, at: server)
            for inbox in [one, two] {
                try await inbox.logIn(
                    as: "ana", proof: key.proof(of: "ana", for: app, at: clock.wall.seconds))
                try await inbox.isTold()
            }
            try await server.send("First", to: #"{"named_user":"ana"}"#, of: app)
            await one.shows("First")
            await two.shows("First")
            try await server.send("Second", to: #""all""#, of: app)
            await one.shows("Second", "First")
            await two.shows("Second", "First")

            let message = try #require(await one.messages.last)
            #expect(message.belongsToPerson && message.isUnread)
            try await one.markRead([message.id])
            await two.shows { $0.contains { $0.id == message.id && !$0.isUnread } }
            try await two.markUnread([message.id])
            await one.shows { $0.contains { $0.id == message.id && $0.isUnread } }
            try await two.delete([message.id])
            await one.shows("Second")
            #expect(await one.unreadCount == 1)

            let channel = try two.channel(tablet.store)
            try await server.send("For the tablet", to: #"{"channel":"\#(channel)"}"#, of: app)
            await two.shows("For the tablet", "Second")
            #expect(await one.refresh())
            #expect(await one.messages.map(\.title) == ["Second"])
            await one.close()
            await two.close()
        }
    }

    @Test func `without a server marks are kept over a restart of the app, and told when it is back`()
        async throws
    {
        try await Installation.with { installation in
            let (phone, tablet) = (AppDevice(), AppDevice())
            let app = try await installation.serve { server in
                let app = try await installation.makeApp("Acme", "--identity", "trusted")
                for device in [phone, tablet] {
                    let inbox = try await device.start(app, at: server)
                    try await inbox.logIn(as: "ana")
                    #expect(await inbox.refresh())
                    await inbox.close()
                }
                for title in ["A", "B", "C"] { try await server.send(title, to: #""all""#, of: app) }
                let inbox = try await phone.start(app, at: server)
                #expect(await inbox.refresh())
                server.program.end()
                while await inbox.refresh() {}
                let ids = await inbox.messages.map(\.id)
                try await inbox.markRead([ids[0]])
                try await inbox.delete([ids[1]])
                #expect(await inbox.unreadCount == 1)
                await inbox.close()

                let again = try await phone.start(app, at: server)
                #expect(await again.messages.map(\.title) == ["C", "A"])
                #expect(await again.unreadCount == 1)
                #expect(await again.namedUser == "ana")
                await again.close()
                return app
            }
            try await installation.serve { server in
                let inbox = try await phone.start(app, at: server)
                #expect(await inbox.refresh())
                let other = try await tablet.start(app, at: server)
                #expect(await other.refresh())
                for inbox in [inbox, other] {
                    #expect(await inbox.messages.map(\.title) == ["C", "A"])
                    #expect(await inbox.messages.map(\.isUnread) == [false, true])
                    await inbox.close()
                }
            }
        }
    }

    @Test func `a login needs a proof, a switch takes the messages along, and a bad proof leaves nobody`()
        async throws
    {
        try await withServer { installation, server, app in
            let key = try await installation.makeProofKey("Acme")
            let now = clock.wall.seconds
            let phone = AppDevice()
            let inbox = try await phone.startWatching(app, at: server)
            var events = inbox.events.makeAsyncIterator()
            try await inbox.logIn(as: "ana")
            guard case .loginRefused("ana", _) = await events.next() else {
                Issue.record("a login without proof was not refused")
                return
            }
            #expect(await inbox.namedUser == nil)

            try await inbox.logIn(as: " ana ", proof: key.proof(of: "ana", for: app, at: now))
            try await inbox.isTold()
            try await server.send("For Ana", to: #"{"named_user":"ana"}"#, of: app)
            await inbox.shows("For Ana")
            try await inbox.logIn(as: "ben", proof: key.proof(of: "ben", for: app, at: now))
            #expect(await inbox.messages.isEmpty)
            try await inbox.isTold()
            try await server.send("For Ben", to: #"{"named_user":"ben"}"#, of: app)
            await inbox.shows("For Ben")
            try await inbox.logIn(as: "ana", proof: key.proof(of: "ana", for: app, at: now))
            #expect(await inbox.messages.map(\.title) == ["For Ana"])
            try await inbox.isTold()

            try await inbox.logIn(as: "ben", proof: key.proof(of: "ana", for: app, at: now))
            guard case .loginRefused("ben", let reason) = await events.next() else {
                Issue.record("another's proof was not refused")
                return
            }
            #expect(reason.hasPrefix("403"))
            #expect(await inbox.namedUser == nil)
            #expect(await inbox.refresh())
            #expect(await inbox.messages.isEmpty)
            try await inbox.logOut()
            await inbox.close()
        }
    }

    @Test func `a login that the backend ends is told, and the person's messages go`() async throws {
        try await withServer { installation, server, app in
            let key = try await installation.makeProofKey("Acme")
            let phone = AppDevice()
            let inbox = try await phone.startWatching(app, at: server)
            try await inbox.logIn(as: "ana", proof: key.proof(of: "ana", for: app, at: clock.wall.seconds))
            try await inbox.isTold()
            try await server.send("For Ana", to: #"{"named_user":"ana"}"#, of: app)
            await inbox.shows("For Ana")
            var events = inbox.events.makeAsyncIterator()
            let answer = try await server.call(
                .post, "/api/named_users/disassociate/", app.key, app.master,
                #"{"channel_id":"\#(try inbox.channel(phone.store))","named_user_id":"ana"}"#)
            try #require(answer.status == 200)
            #expect(await events.next() == .loginChanged(.loggedOut))
            #expect(await inbox.messages.isEmpty)
            await inbox.close()
        }
    }

    @Test func `at its second of expiry a message is gone, without a refresh`() async throws {
        try await withServer { _, server, app in
            let inbox = try await AppDevice().start(app, at: server)
            #expect(await inbox.refresh())
            try await server.send("Stays", to: #""all""#, of: app)
            let id = try await server.send("Goes", to: #""all""#, of: app, also: #","expiry":3"#)
            #expect(await inbox.refresh())
            let expires = try #require(await inbox.message(id: id)?.expires).timeIntervalSince1970
            var counts = inbox.unreadCountUpdates.makeAsyncIterator()
            let (before, after) = (await counts.next(), await counts.next())
            #expect(before == 2 && after == 1)
            let now = Double(clock.wall.rawValue) / 1_000_000
            #expect(now >= expires && now < expires + 2)
            #expect(await inbox.message(id: id) == nil)
            await inbox.close()
        }
    }
}
