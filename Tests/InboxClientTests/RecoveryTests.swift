import Foundation
import InboxClient
import InboxModel
import Platform
import Testing

/// What an app hears of a damaged file.
@Suite(.timeLimit(.minutes(1))) struct RecoveryTests {
    @Test func `the first who listens is told of a damaged file, and nobody else`() async throws {
        let room = try StoreRoom()
        var stage = InboxStage([.made(1)])
        stage.store = try room.store()
        let whole = try await stage.openAndRefresh()
        try await whole.markRead([text(1)])
        #expect(await whole.refresh())
        stage.server.change { $0.isOnline = false }
        try await whole.delete([text(1)])
        await whole.close()
        try room.run("PRAGMA foreign_keys = OFF; DELETE FROM messages")
        stage.store = try room.store()
        let inbox = try await stage.open()
        var events = inbox.events.makeAsyncIterator()
        guard case .storeRecovered(let recovery) = await events.next() else {
            Issue.record("it must be told first")
            return
        }
        #expect(recovery.reason.contains("a row refers to nothing"))
        #expect(recovery.hasInstallation && recovery.marks == 1)
        let others = inbox.events
        await inbox.close()
        for await event in others {
            if case .storeRecovered = event { Issue.record("it was told already") }
        }
    }

    @Test func `a file that breaks while it is open is told as well`() async throws {
        let room = try StoreRoom()
        var stage = InboxStage([.made(1), .made(2)])
        stage.store = try room.store()
        let inbox = try await stage.openAndRefresh()
        stage.server.change { $0.isOnline = false }
        try room.run("DROP TABLE marks")
        await #expect(throws: Never.self) {
            // What cannot be kept by itself is kept with all else, in a new file.
            do { try await inbox.delete([text(1)]) } catch { try await inbox.delete([text(2)]) }
        }
        var events = inbox.events.makeAsyncIterator()
        guard case .storeRecovered(let recovery) = await events.next() else {
            Issue.record("it must be told")
            return
        }
        #expect(recovery.hasInstallation)
        await inbox.close()
        #expect(try room.names.contains("inbox.damaged"))
    }
}
