import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform
import Testing

/// Two inboxes over one file: of an app and of an extension of it.
@Suite(.timeLimit(.minutes(1)))
struct TwoInboxTests {
    /// A server and a file, and both inboxes, which have fetched what there is.
    private struct Pair {
        let stage: InboxStage
        let room: StoreRoom
        let one: Inbox
        let other: Inbox

        init(_ rows: [MessageRow], own: [NamedUserID: [MessageRow]] = [:]) async throws {
            room = try StoreRoom()
            var stage = InboxStage(rows)
            stage.store = try room.store()
            stage.server.change { $0.own = own }
            self.stage = stage
            one = try await stage.openAndRefresh()
            other = try await InboxStage(beside: stage, store: room.store()).openAndRefresh()
        }

        /// What the file holds.
        var kept: StoredInbox { get throws { try room.store().load() } }

        func setOnline(_ isOnline: Bool) { stage.server.change { $0.isOnline = isOnline } }

        func close() async {
            await one.close()
            await other.close()
        }
    }

    @Test func `what the one marks shows to the other, and all of it is told`() async throws {
        let pair = try await Pair((1...4).map { .made($0) })
        pair.setOnline(false)
        try await pair.one.markRead([text(1)])
        #expect(await pair.other.unreadCount == 3)
        try await pair.other.delete([text(2)])
        #expect(await pair.one.titles == ["Message 4", "Message 3", "Message 1"])
        try await pair.one.markRead([text(3)])
        try await pair.other.markUnread([text(1)])
        let waiting = try pair.kept.outbox.stretches.flatMap(\.marks).map(\.message)
        #expect(Set(waiting) == [.made(1), .made(2), .made(3)])
        pair.setOnline(true)
        #expect(await pair.one.refresh())
        #expect(await pair.one.unreadCount == 2)
        #expect(await pair.other.unreadCount == 2)
        #expect(try pair.kept.outbox.count == 0)
        let rows = pair.stage.server.rows
        #expect(rows.map(\.id) == [.made(1), .made(3), .made(4)])
        #expect(rows.filter(\.isUnread).map(\.id) == [.made(1), .made(4)])
        await pair.close()
    }

    @Test func `a mark that is made at the same moment is kept beside the other's`() async throws {
        let pair = try await Pair((1...40).map { .made($0) })
        pair.setOnline(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (inbox, numbers) in [(pair.one, 1...20), (pair.other, 21...40)] {
                group.addTask { for number in numbers { try await inbox.markRead([text(number)]) } }
            }
            try await group.waitForAll()
        }
        #expect(try pair.kept.outbox.count == 40)
        #expect(await pair.one.unreadCount == 0)
        #expect(await pair.other.unreadCount == 0)
        await pair.close()
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `whatever both do in turn, they agree in the end, and the server knows of every mark`(
        seed: UInt64
    ) async throws {
        let pair = try await Pair((1...6).map { .made($0) })
        var random = SeededRandom(seed: seed)
        var last: [MessageID: Bool] = [:]
        for step in 7..<80 {
            let inbox = random.chance(1, outOf: 2) ? pair.one : pair.other
            let id = await random.element(of: inbox.messages.map(\.id))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: pair.stage.server.change { $0.rows.append(.made(step)) }
            case 1: pair.setOnline(random.chance(1, outOf: 2))
            case 2: _ = await inbox.refresh()
            case 3:
                if let id {
                    try await inbox.delete([id])
                    last[try #require(MessageID(wire: id))] = .some(true)
                }
            case 4, 5: if let id { try await inbox.markRead([id]) }
            default: if let id { try await inbox.markUnread([id]) }
            }
            // An answer may come between the two looks.
            while await pair.one.messages != pair.other.messages { await Task.yield() }
        }
        let (shown, unread) = (await pair.one.messages.map(\.id), await pair.one.unreadCount)
        pair.setOnline(true)
        #expect(await pair.one.refresh())
        #expect(await pair.other.refresh())
        #expect(await pair.one.messages == pair.other.messages)
        #expect(try pair.kept.outbox.count == 0)
        let rows = pair.stage.server.rows
        #expect(Set(rows.map(\.id.text)).isSuperset(of: shown))
        #expect(rows.allSatisfy { last[$0.id] == nil })
        #expect(await pair.one.unreadCount >= unread)
        await pair.close()
    }

    @Test func `a login by the one is one of the other, and what each did is told under whom it was done`()
        async throws
    {
        let pair = try await Pair(
            [.made(1), .made(2)],
            own: [.ana: [.made(11, place: .person)], .ben: [.made(12, place: .person)]])
        try await pair.one.logIn(as: "ana")
        #expect(await pair.other.refresh())
        #expect(await pair.other.titles == ["Message 11", "Message 2", "Message 1"])
        pair.setOnline(false)
        try await pair.other.markRead([text(11), text(1)])
        try await pair.one.logIn(as: "ben")
        #expect(await pair.other.namedUser == "ben")
        #expect(await pair.other.titles == ["Message 2", "Message 1"])
        try await pair.other.delete([text(2)])
        let before = pair.stage.server.calls.count
        pair.setOnline(true)
        #expect(await pair.other.refresh())
        #expect(await pair.one.titles == ["Message 12", "Message 1"])
        #expect(await pair.other.titles == ["Message 12", "Message 1"])
        // Both may tell the same: by when it was first told.
        var told: [SyncCall] = []
        for call in pair.stage.server.calls.dropFirst(before) where !call.isRefresh && !told.contains(call) {
            told.append(call)
        }
        #expect(
            told == [
                .mark(.read, [MarkTarget(.made(11)), MarkTarget(.made(1))]), .logIn(Login(.ben)),
                .mark(.delete, [MarkTarget(.made(2))]),
            ])
        await pair.close()
    }

    @Test func `of whoever was logged out by the one the other tells and shows nothing`() async throws {
        let pair = try await Pair(
            [.made(1), .made(2, place: .app)],
            own: [.ana: [.made(11, place: .person)], .ben: [.made(11, place: .person)]])
        try await pair.other.logIn(as: "ana")
        #expect(await pair.other.refresh())
        // Another process would not look before its user acts.
        let events = pair.other.events
        try await pair.one.logIn(as: "ben")
        #expect(await pair.one.refresh())
        let before = pair.stage.server.calls.count
        try await pair.other.markRead([text(11), text(2)])
        #expect(await pair.other.namedUser == "ben")
        #expect(await pair.other.refresh())
        let told = pair.stage.server.calls.dropFirst(before).filter { !$0.isRefresh }
        #expect(Array(told) == [])
        #expect(await pair.one.unreadCount == 3)
        for await case .marksRefused(let messages, _) in events {
            #expect(messages == [text(11), text(2)])
            break
        }
        await pair.close()
    }

    @Test func `two that start at once are one device`() async throws {
        for _ in 0..<10 {
            let room = try StoreRoom()
            let stage = InboxStage([.made(1)])
            let inboxes = try await withThrowingTaskGroup(of: Inbox.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let store = try room.store()
                        let inbox = try await InboxStage(beside: stage, store: store).open()
                        _ = await inbox.refresh()
                        return inbox
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(await inboxes[0].channel != nil)
            #expect(await inboxes[0].channel == inboxes[1].channel)
            #expect(await inboxes[1].titles == ["Message 1"])
            for inbox in inboxes { await inbox.close() }
        }
    }

    @Test func `whoever watches is told what changed, and nothing where nothing did`() async throws {
        let pair = try await Pair([.made(1), .made(2)])
        var counts = pair.other.unreadCountUpdates.makeAsyncIterator()
        #expect(await counts.next() == 2)
        // This changes the file, and not what is shown.
        try await pair.one.logIn(as: "ana")
        #expect(await pair.one.refresh())
        #expect(await pair.other.refresh())
        try await pair.one.markRead([text(1)])
        #expect(await pair.other.refresh())
        #expect(await counts.next() == 1)
        await pair.other.close()
        #expect(await counts.next() == nil)
        await pair.close()
    }

    @Test func `what could not be kept is laid over what the other has saved meanwhile`() async throws {
        let room = try StoreRoom()
        var stage = InboxStage((1...3).map { .made($0) })
        let store = FaultyLocalStore(try room.store())
        stage.store = store
        let one = try await stage.openAndRefresh()
        let other = try await InboxStage(beside: stage, store: room.store()).openAndRefresh()
        stage.server.change { $0.isOnline = false }
        #expect(await one.refresh() == false)
        #expect(await one.unreadCount == 3)
        store.isBroken = true
        await #expect(throws: InboxClientError.self) { try await one.markRead([text(1)]) }
        await #expect(throws: InboxClientError.self) { try await one.logIn(as: "ana") }
        await #expect(throws: InboxClientError.self) { try await one.delete([text(3)]) }
        try await other.markRead([text(2)])
        #expect(await other.unreadCount == 2)
        store.isBroken = false
        try await one.markUnread([text(2)])
        for inbox in [one, other] {
            #expect(await inbox.titles == ["Message 2", "Message 1"])
            #expect(await inbox.unreadCount == 1)
            #expect(await inbox.namedUser == "ana")
        }
        let stretches = try room.store().load().outbox.stretches
        #expect(stretches.map(\.login.person) == [nil, .ana])
        #expect(Set(stretches[0].marks.map(\.message)) == [.made(1), .made(2)])
        #expect(Set(stretches[1].marks.map(\.message)) == [.made(3), .made(2)])
        await one.close()
        await other.close()
    }

    @Test func `a file that was taken away is made anew with all there is`() async throws {
        let pair = try await Pair([.made(1), .made(2)])
        pair.setOnline(false)
        let channel = await pair.one.channel
        for name in try pair.room.names {
            try FileManager.default.removeItem(atPath: pair.room.folder + "/" + name)
        }
        try await pair.one.markRead([text(1)])
        #expect(try pair.kept.outbox.count == 1)
        #expect(try pair.kept.installation?.serverChannel.text == channel)
        #expect(await pair.other.unreadCount == 1)
        await pair.close()
    }

    @Test func `a mark that finds the file taken away is kept, whoever is logged in`() async throws {
        let pair = try await Pair([.made(1), .made(2)])
        try await pair.one.logIn(as: "ana")
        #expect(await pair.one.refresh())
        pair.setOnline(false)
        for name in try pair.room.names {
            try FileManager.default.removeItem(atPath: pair.room.folder + "/" + name)
        }
        try await pair.one.markRead([text(1)])
        #expect(try pair.kept.outbox.count == 1)
        #expect(try pair.kept.outbox.login.person?.text == "ana")
        await pair.close()
    }

    @Test func `a file that is found taken away is filled at once, by a look too`() async throws {
        let pair = try await Pair([.made(1), .made(2)])
        pair.setOnline(false)
        try await pair.one.markRead([text(1)])
        for name in try pair.room.names {
            try FileManager.default.removeItem(atPath: pair.room.folder + "/" + name)
        }
        #expect(await pair.one.unreadCount == 1)
        #expect(try pair.kept.outbox.count == 1)
        #expect(try pair.kept.installation != nil)
        await pair.close()
    }
}
