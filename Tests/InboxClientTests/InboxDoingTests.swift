import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What an app does with its inbox.
@Suite(.timeLimit(.minutes(1)))
struct InboxDoingTests {
    @Test func `AMC-43: a refresh is true with a server, false without, and what was shown stays`()
        async throws
    {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        stage.server.change { $0.isOnline = false }
        #expect(await inbox.refresh() == false)
        #expect(await inbox.messages.count == 1)
        stage.server.change { $0.isOnline = true }
        #expect(await inbox.refresh())
    }

    @Test func `a device that cannot be registered refreshes in vain`() async throws {
        let stage = InboxStage([.made(1)])
        stage.server.change { $0.isOnline = false }
        let inbox = try await stage.open()
        #expect(await inbox.refresh() == false)
        #expect(await inbox.authorization == nil)
    }

    @Test func `AMC-44: a refresh with a time limit ends at it, and a later one works`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        stage.server.change { $0.isSlow = true }
        let refresh = Task { try await inbox.refresh(within: .seconds(5)) }
        while !stage.clock.hasWaiting { await Task.yield() }
        stage.clock.pass(.seconds(5))
        await #expect(throws: InboxClientError.timedOut) { try await refresh.value }
        stage.server.change { ($0.isSlow, $0.rows) = (false, [.made(1), .made(2)]) }
        #expect(try await inbox.refresh(within: .seconds(5)))
        #expect(await inbox.titles == ["Message 2", "Message 1"])
    }

    @Test func `a task that is cancelled waits for no refresh`() async throws {
        let stage = InboxStage()
        stage.server.change { $0.isSlow = true }
        let inbox = try await stage.open()
        let task = Task { await inbox.refresh() }
        task.cancel()
        #expect(await task.value == false)
        let limited = Task { try await inbox.refresh(within: .seconds(5)) }
        limited.cancel()
        #expect(try await limited.value == false)
        stage.server.change { $0.isSlow = false }
    }

    @Test func `AMC-47, 49: marks without a server outlive the app, and are told when it is there`()
        async throws
    {
        let stage = InboxStage([.made(1), .made(2), .made(3)])
        let first = try await stage.openAndRefresh()
        stage.server.change { $0.isOnline = false }
        try await first.markRead([text(1)])
        try await first.delete([text(2)])
        await first.close()
        let second = try await stage.open()
        #expect(await second.titles == ["Message 3", "Message 1"])
        #expect(await second.unreadCount == 1)
        let before = stage.server.calls.count
        stage.server.change { $0.isOnline = true }
        #expect(await second.refresh())
        let told = stage.server.calls.dropFirst(before).suffix(3)
        #expect(
            Array(told.prefix(2)) == [
                .mark(.read, [MarkTarget(.made(1))]), .mark(.delete, [MarkTarget(.made(2))]),
            ])
        #expect(told.last?.isRefresh == true)
    }

    @Test func `AMC-50: a message that is held does not change`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        let held = try #require(await inbox.message(id: text(1)))
        try await inbox.markRead([held.id])
        #expect(held.isUnread)
        #expect(await inbox.message(id: held.id)?.isUnread == false)
    }

    @Test func `a mark that is not kept says so, and the next save is one of everything`() async throws {
        var stage = InboxStage([.made(1), .made(2)])
        let store = FaultyLocalStore()
        stage.store = store
        let inbox = try await stage.openAndRefresh()
        stage.server.change { $0.isOnline = false }
        #expect(await inbox.refresh() == false)
        let events = inbox.events
        store.isBroken = true
        await #expect(throws: InboxClientError.notKept("DiskFull()")) { try await inbox.markRead([text(1)]) }
        // It is shown all the same, but done again it is still not kept.
        #expect(await inbox.unreadCount == 1)
        await #expect(throws: InboxClientError.notKept("DiskFull()")) { try await inbox.markRead([text(1)]) }
        store.isBroken = false
        try await inbox.markRead([text(1)])
        #expect(store.deeds.last == "replace")
        try await inbox.markRead([text(2)])
        #expect(store.deeds.last == "save")
        let again = try await stage.open()
        #expect(await again.unreadCount == 0)
        for await case .trouble(let trouble) in events where trouble.kind == .storage { break }
    }

    @Test func `AMC-59: switched off it is empty and silent, and nothing from before comes back by itself`()
        async throws
    {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        await inbox.setEnabled(false)
        #expect(await inbox.messages == [])
        #expect(await inbox.unreadCount == 0)
        #expect(await inbox.refresh() == false)
        #expect(await inbox.isEnabled == false)
        stage.server.change { $0.rows = [.made(2)] }
        await inbox.setEnabled(true)
        #expect(await inbox.message(id: text(1)) == nil)
        #expect(await inbox.refresh())
        #expect(await inbox.titles == ["Message 2"])
    }

    @Test func `an inbox that is off when it is opened shows and asks nothing, and has forgotten`()
        async throws
    {
        var stage = InboxStage([.made(1)])
        let first = try await stage.openAndRefresh()
        await first.close()
        let before = stage.server.calls.count
        stage.isEnabled = false
        let second = try await stage.open()
        #expect(await second.messages == [])
        #expect(await second.refresh() == false)
        #expect(stage.server.calls.count == before)
        await second.close()
        stage.isEnabled = true
        stage.server.change { $0.isOnline = false }
        #expect(await (try stage.open()).messages == [])
    }

    @Test func `CWV-04, 05: a request for a body carries its address, who asks, and a time limit`()
        async throws
    {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        let request = try await inbox.bodyRequest(for: text(1))
        let url = "http://inbox.example/base/body/\(text(1))"
        #expect(request.url?.absoluteString == url && request.timeoutInterval == 60)
        let header = Inbox.authorization(name: "usér", password: "a:b")
        #expect(header == "Basic " + Data("usér:a:b".utf8).base64EncodedString())
        #expect(request.value(forHTTPHeaderField: "Authorization") == header)
        #expect(await inbox.authorization == header)
        let address = try #require(request.url)
        #expect(await inbox.message(bodyURL: address)?.id == text(1))
        try await inbox.delete([text(1)])
        #expect(await inbox.message(bodyURL: address) == nil)
        await #expect(throws: InboxClientError.noSuchMessage) { try await inbox.bodyRequest(for: text(1)) }
    }

    @Test func `AMC-95, 96: a predicate holds for list, count, look-up and body at once`() async throws {
        let stage = InboxStage([.made(1), .made(2)])
        let inbox = try await stage.openAndRefresh()
        var counts = inbox.unreadCountUpdates.makeAsyncIterator()
        #expect(await counts.next() == 2)
        await inbox.setPredicate { $0.title == "Message 2" }
        #expect(await counts.next() == 1)
        #expect(await inbox.message(id: text(1)) == nil)
        await #expect(throws: InboxClientError.noSuchMessage) { try await inbox.bodyRequest(for: text(1)) }
        await inbox.setPredicate(nil)
        #expect(await counts.next() == 2)
        #expect(stage.server.calls.count == 2)
    }

    @Test(arguments: [
        (["_uamid": "\(MessageID.made(2).text)"] as [String: any Sendable], true),
        (["_uamid": [MessageID.made(2).text]], true), (["_uamid": [MessageID.made(2).pushID, "x"]], true),
        (["_uamid": "x"], false), (["_uamid": [String]()], false), (["_uamid": 7], false), ([:], false),
    ])
    func `AMC-57: a push that names a message refreshes`(
        userInfo: [String: any Sendable], isOurs: Bool
    ) async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        #expect(await inbox.handlePush(userInfo) == .noData)
        stage.server.change { $0.rows.append(.made(2)) }
        #expect(await inbox.handlePush(userInfo) == (isOurs ? .newData : .noData))
        stage.server.change { $0.isOnline = false }
        #expect(await inbox.handlePush(userInfo) == (isOurs ? .failed : .noData))
    }

    @Test func `a closed inbox does nothing and says so`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        let events = inbox.events
        await inbox.close()
        await inbox.close()
        #expect(await inbox.refresh() == false)
        #expect(await inbox.messages == [])
        await #expect(throws: InboxClientError.closed) { try await inbox.markRead([text(1)]) }
        await #expect(throws: InboxClientError.closed) { try await inbox.bodyRequest(for: text(1)) }
        for await _ in events {}
        for await _ in inbox.events {}
        for await _ in inbox.messageUpdates {}
    }
}
