import InboxClient
import InboxModel
import Platform
import Testing

/// What those who watch an inbox are told.
@Suite(.timeLimit(.minutes(1)))
struct InboxUpdateTests {
    @Test func `AMC-41: who subscribes gets the list of now, then one for each real change`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        var updates = inbox.messageUpdates.makeAsyncIterator()
        #expect(await updates.next()?.map(\.id) == [text(1)])
        stage.server.change { _ in }
        #expect(await inbox.refresh())  // the same rows once more
        #expect(await inbox.refresh())  // no change at all
        stage.server.change { $0.rows.append(.made(2)) }
        #expect(await inbox.refresh())
        #expect(await updates.next()?.map(\.id) == [text(2), text(1)])
    }

    @Test func `AMC-42: a mark lowers the count by one, once`() async throws {
        let stage = InboxStage([.made(1), .made(2)])
        let inbox = try await stage.openAndRefresh()
        var counts = inbox.unreadCountUpdates.makeAsyncIterator()
        #expect(await counts.next() == 2)
        try await inbox.markRead([text(1)])
        #expect(await inbox.refresh())  // the server knows, too: no news
        try await inbox.markRead([text(1), text(1), "no id", text(9)])
        #expect(await counts.next() == 1)
        try await inbox.markRead([text(2)])
        #expect(await counts.next() == 0)
    }

    @Test func `AMC-92: two views of one inbox are each told their own changes only`() async throws {
        let stage = InboxStage([.made(1), .made(2, extra: ["kind": "offer"])])
        let inbox = try await stage.openAndRefresh()
        let isOffer: @Sendable (InboxMessage) -> Bool = { $0.extra["kind"] == "offer" }
        var offers = inbox.messageUpdates(where: isOffer).makeAsyncIterator()
        var others = inbox.messageUpdates(where: { !isOffer($0) }).makeAsyncIterator()
        var unreadOffers = inbox.unreadCountUpdates(where: isOffer).makeAsyncIterator()
        #expect(await offers.next()?.map(\.id) == [text(2)])
        #expect(await others.next()?.map(\.id) == [text(1)])
        #expect(await unreadOffers.next() == 1)
        try await inbox.markRead([text(1)])
        #expect(await others.next()?.map(\.isUnread) == [false])
        #expect(await inbox.unreadCount(where: isOffer) == 1)
        stage.server.change { $0.rows.append(.made(3, extra: ["kind": "offer"])) }
        #expect(await inbox.refresh())
        // Of the first one's change neither was told.
        #expect(await offers.next()?.map(\.id) == [text(3), text(2)])
        #expect(await unreadOffers.next() == 2)
        try await inbox.delete([text(1)])
        #expect(await others.next() == [])
        #expect(await inbox.messages(where: isOffer).map(\.id) == [text(3), text(2)])
        // What hides from all hides from each.
        await inbox.setPredicate { $0.id != text(2) }
        #expect(await offers.next()?.map(\.id) == [text(3)])
        await inbox.close()
        #expect(await others.next() == nil)
        #expect(inbox.watcherCount == 0)
    }

    @Test func `who is slow gets the newest, and nothing twice in a row`() async throws {
        let stage = InboxStage([.made(1), .made(2)])
        let inbox = try await stage.openAndRefresh()
        var counts = inbox.unreadCountUpdates.makeAsyncIterator()
        #expect(await counts.next() == 2)
        try await inbox.markRead([text(1)])
        try await inbox.markUnread([text(1)])  // 1, and 2 again
        try await inbox.delete([text(1)])
        try await inbox.delete([text(2)])
        #expect(await counts.next() == 0)
        await inbox.setPredicate { _ in false }
        await inbox.close()
        #expect(await counts.next() == nil)
    }

    @Test func `each of many gets the same, and sees it anew who comes later`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        let updates = inbox.unreadCountUpdates
        var all = (0..<100).map { _ in updates.makeAsyncIterator() }
        for index in all.indices { #expect(await all[index].next() == 1) }
        try await inbox.markRead([text(1)])
        for index in all.indices { #expect(await all[index].next() == 0) }
        var late = updates.makeAsyncIterator()
        #expect(await late.next() == 0)
    }

    @Test func `a task that is cancelled, and an iterator that is dropped, are forgotten`() async throws {
        let stage = InboxStage([.made(1)])
        let inbox = try await stage.openAndRefresh()
        let begun = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in inbox.messageUpdates { begun.continuation.yield() }
        }
        for await _ in begun.stream { break }
        #expect(inbox.watcherCount == 1)
        task.cancel()
        await task.value
        #expect(inbox.watcherCount == 0)
        do {
            var updates = inbox.messageUpdates.makeAsyncIterator()
            #expect(await updates.next() != nil)
            #expect(inbox.watcherCount == 1)
        }
        #expect(inbox.watcherCount == 0)
        do { _ = inbox.events }
        #expect(inbox.watcherCount == 0)
    }

    @Test func `AMC-53: at its expiry a message goes from everything, without a refresh`() async throws {
        let expiry = ManualClock.start.adding(seconds: 60)
        let stage = InboxStage([.made(1), .made(2, expires: expiry)])
        let inbox = try await stage.openAndRefresh()
        var counts = inbox.unreadCountUpdates.makeAsyncIterator()
        #expect(await counts.next() == 2)
        stage.clock.pass(.seconds(59))
        #expect(await inbox.message(id: text(2)) != nil)
        stage.clock.pass(.seconds(1))
        #expect(await counts.next() == 1)
        #expect(await inbox.message(id: text(2)) == nil)
        await #expect(throws: InboxClientError.noSuchMessage) { try await inbox.bodyRequest(for: text(2)) }
        #expect(stage.server.calls.count == 2)
    }

    @Test func `many who come and go while all changes get nothing twice, and are all forgotten`()
        async throws
    {
        let stage = InboxStage([.made(1), .made(2)])
        let inbox = try await stage.openAndRefresh()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    var last: Int?
                    for await count in inbox.unreadCountUpdates {
                        #expect(count != last)
                        last = count
                        if number % 3 == 0 { break }
                    }
                }
            }
            for number in 0..<40 {
                group.addTask {
                    let id = text(number % 2 + 1)
                    await #expect(throws: Never.self) {
                        try await number % 4 < 2 ? inbox.markRead([id]) : inbox.markUnread([id])
                    }
                    if number % 10 == 0 { _ = await inbox.refresh() }
                }
            }
            for _ in 0..<60 { await group.next() }  // all that mark, and those that break
            await inbox.close()
        }
        #expect(inbox.watcherCount == 0)
    }

    @Test func `an inbox that nobody holds ends what is iterated`() async throws {
        let stage = InboxStage([.made(1)])
        var inbox: Inbox? = try await stage.openAndRefresh()
        var updates = inbox?.messageUpdates.makeAsyncIterator()
        #expect(await updates?.next()?.count == 1)
        inbox = nil
        #expect(await updates?.next() == nil)
    }
}
