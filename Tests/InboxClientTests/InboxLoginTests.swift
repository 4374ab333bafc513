import ClientCore
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

/// Logins, filters, events and streams of an inbox.
@Suite(.timeLimit(.minutes(1)))
struct InboxLoginTests {
    @Test(arguments: ["", "  \u{200B}\u{FEFF}\n", String(repeating: "x", count: 129), "a\u{7}b"])
    func `NUF-25, 26: an id that no server takes is refused, and who is logged in stays so`(
        id: String
    ) async throws {
        let inbox = try await InboxStage().openAndRefresh()
        try await inbox.logIn(as: " ana ")
        await #expect { try await inbox.logIn(as: id) } throws: { error in
            if case .badNamedUser = error as? InboxClientError { true } else { false }
        }
        #expect(await inbox.namedUser == "ana")
        try await inbox.logIn(as: String(repeating: "x", count: 128))
        try await inbox.logOut()
        #expect(await inbox.namedUser == nil)
    }

    @Test(arguments: ["", String(repeating: "x", count: 4097)])
    func `a proof that no server takes is refused`(proof: String) async throws {
        let inbox = try await InboxStage().openAndRefresh()
        await #expect(throws: InboxClientError.badProof("must have 1 to 4096 bytes")) {
            try await inbox.logIn(as: "ana", proof: proof)
        }
        #expect(await inbox.namedUser == nil)
    }

    @Test func `AMC-93, 96: the filter follows whoever is logged in, at once`() async throws {
        let stage = InboxStage([
            .made(1, extra: ["named_user_id": "ana"]), .made(2, extra: ["named_user_id": "ben"]), .made(3),
        ])
        let inbox = try await stage.openAndRefresh()
        #expect(await inbox.messages.count == 3)
        await inbox.setFilter(.on(untargeted: false))
        #expect(await inbox.messages == [])
        try await inbox.logIn(as: "ana")
        #expect(await inbox.titles == ["Message 1"])
        try await inbox.logIn(as: "ben")
        #expect(await inbox.titles == ["Message 2"])
        #expect(await inbox.message(id: text(1)) == nil)
        await inbox.setFilter(.on(untargeted: true))
        #expect(await inbox.titles == ["Message 3", "Message 2"])
        try await inbox.logOut()
        #expect(await inbox.messages == [])
        #expect(await inbox.unreadCount == 0)
        #expect(await inbox.filter == .on(untargeted: true))
    }

    @Test func `a refused login is told, and nobody is logged in`() async throws {
        let stage = InboxStage()
        let inbox = try await stage.openAndRefresh()
        stage.server.change {
            $0.refusal = { call in
                guard case .logIn(let login) = call, login.person != nil else { return nil }
                return SyncProblem(.refused(status: 403), "403 the proof has expired")
            }
        }
        var events = inbox.events.makeAsyncIterator()
        try await inbox.logIn(as: "ana", proof: "x")
        let told = await events.next()
        #expect(told == .loginRefused(namedUser: "ana", reason: "403 the proof has expired"))
        #expect(await inbox.namedUser == nil)
    }

    @Test func `an installation that the server does not know is made anew, and told`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        var events = inbox.events.makeAsyncIterator()
        stage.server.change {
            $0.refusal = { $0.isRefresh ? SyncProblem(.unauthorized, "401") : nil }
        }
        // Whoever waits is told by the end of the second try.
        #expect(await inbox.refresh() == false)
        #expect(await events.next() == .installationReplaced)
        guard case .trouble(let trouble) = await events.next() else {
            Issue.record("no trouble was told")
            return
        }
        #expect(trouble.kind == .unauthorized)
    }

    @Test func `who watches is told by the stream, and a login that changes elsewhere is over`() async throws
    {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        try await inbox.logIn(as: "ana")
        #expect(await inbox.refresh())
        var updates = inbox.messageUpdates.makeAsyncIterator()
        #expect(await updates.next()?.count == 1)
        var events = inbox.events.makeAsyncIterator()
        await inbox.startWatching()
        await stage.streams.open()
        stage.streams.say(.head(Response(status: 200)))
        stage.server.change { $0.rows.append(.made(2)) }
        stage.streams.say("event: ready\ndata: {}\n\n:\n\nevent: chan")
        #expect(await updates.next()?.count == 2)
        stage.server.change { $0.rows.append(.made(3)) }
        stage.streams.say("ged\ndata: {}\n\n")
        #expect(await updates.next()?.count == 3)
        stage.streams.say("event: end\ndata: {\"reason\":\"logged_out\",\"retry\":true}\n\n")
        #expect(await events.next() == .loginChanged(.loggedOut))
        #expect(await inbox.namedUser == nil)
    }

    @Test func `a stream that is closed by the app is cancelled, and what it still says changes nothing`()
        async throws
    {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        await inbox.startWatching()
        await stage.streams.open()
        await inbox.stopWatching()
        for await _ in stage.streams.cancelled.stream { break }
        #expect(await inbox.refresh())
        let before = stage.server.calls.count
        stage.streams.say("event: ready\ndata: {}\n\n")
        #expect(await inbox.refresh())
        #expect(stage.server.calls.count == before + 1)
    }

    @Test func `a stream that is refused is opened again after what the server asks for`() async throws {
        let stage = InboxStage()
        let inbox = try await stage.openAndRefresh()
        await inbox.startWatching()
        await stage.streams.open()
        stage.streams.say(.head(Response(status: 503, headers: ["Retry-After": "30"])))
        stage.streams.say(.end)
        for await _ in stage.streams.cancelled.stream { break }
        while !stage.clock.hasWaiting { await Task.yield() }
        stage.clock.pass(.seconds(30))
        await stage.streams.open()
    }
}
