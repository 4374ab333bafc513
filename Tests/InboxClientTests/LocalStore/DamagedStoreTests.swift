import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform
import Testing

@Suite struct DamagedStoreTests {
    /// An inbox of a registered installation with a mark that waits, and messages.
    private static let inbox = {
        var inbox = StoredInbox()
        inbox.apply(.installation(Shell.installation))
        inbox.apply(.credential(InboxCredential(user: "user", password: "password")))
        inbox.apply(.login(Login(.ana, proof: "proof")))
        inbox.apply(.view(.ana, CachedView((1...300).map { .made($0) }, cursor: "c1")))
        inbox.apply(.mark(PendingMark(7, .made(1), .read), replaces: []))
        return inbox
    }()

    /// What of it the server cannot tell.
    private static let rest = {
        var rest = StoredInbox()
        (rest.installation, rest.outbox) = (inbox.installation, inbox.outbox)
        return rest
    }()

    private func room() throws -> StoreRoom {
        let room = try StoreRoom()
        let store = try room.store()
        try store.save([.installation(Shell.installation)])
        try store.replace(DamagedStoreTests.inbox)
        store.close()
        return room
    }

    private func reason(_ store: SQLiteStore) -> StoreRecovery? {
        guard case .recovered(let recovery) = store.opening else { return nil }
        return recovery
    }

    @Test(arguments: [
        ("PRAGMA user_version = 99", "the file is of a newer version, 99"),
        ("UPDATE rows SET place = 'moon'", "a row of message 1 is none"),
        ("UPDATE messages SET extra = x'00'", "the extras of a message are none"),
        ("DELETE FROM messages WHERE number = 3", "a row refers to nothing"),
        ("DROP TABLE rows", "no such table"),
    ]) func `what makes no sense is set aside, and installation and marks are saved`(
        script: String, words: String
    ) throws {
        let room = try room()
        try room.run("PRAGMA foreign_keys = OFF; " + script)
        let store = try room.store()
        let recovery = try #require(reason(store))
        #expect(recovery.reason.contains(words))
        #expect(recovery.hasInstallation && recovery.marks == 1)
        #expect(try store.load() == DamagedStoreTests.rest)
        #expect(try room.names.contains("inbox.damaged"))
        store.close()
        #expect(try room.store().opening == .opened)
    }

    @Test func `marks are saved out of a damaged file of the first version, too`() throws {
        let room = try room()
        try room.run(StoreRoom.toFirstVersion)
        try room.run("PRAGMA foreign_keys = OFF; DELETE FROM messages WHERE number = 3")
        #expect(try room.store().load() == DamagedStoreTests.rest)
    }

    @Test func `what was never ours is set aside untouched, and nothing is taken from it`() throws {
        let room = try room()
        try room.run("PRAGMA application_id = 77")
        let bytes = try room.bytes
        let store = try room.store()
        #expect(reason(store)?.hasInstallation == false)
        #expect(try store.load() == StoredInbox())
        #expect(try Data(contentsOf: URL(fileURLWithPath: room.path + ".damaged")) == bytes)
    }

    @Test func `one damaged file is kept, the last`() throws {
        let room = try StoreRoom()
        for text in ["one", "two"] {
            let bytes = Data(String(repeating: text, count: 5000).utf8)
            try room.write(bytes)
            let store = try room.store()
            #expect(reason(store)?.reason == "file is not a database (26)")
            store.close()
            #expect(try room.names == ["inbox", "inbox.damaged", "inbox.lock"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: room.path + ".damaged")) == bytes)
        }
    }

    /// One whose first page of messages is overwritten.
    private func roomWithoutMessages() throws -> StoreRoom {
        let room = try room()
        let connection = try SQLiteConnection(path: room.path)
        let page = try connection.number("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'")
        connection.close()
        var bytes = try room.bytes
        let start = (Int(try #require(page)) - 1) * 4096
        bytes.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
        try room.write(bytes)
        return room
    }

    @Test func `of those who open one damaged file at once one repairs it, and all go on with the same`()
        async throws
    {
        for _ in 0..<10 {
            let room = try roomWithoutMessages()
            let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
                for _ in 0..<4 { group.addTask { try room.store() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(stores.count { $0.opening != .opened } == 1)
            let kept = try stores.map { try $0.load() }
            #expect(kept.allSatisfy { $0 == kept[0] && $0.installation != nil && $0.outbox.count > 0 })
            try stores[0].save([.confirmed(.person(.ana))])
            #expect(try stores[3].loadIfChanged()?.confirmed == .person(.ana))
            for store in stores { store.close() }
        }
    }

    @Test func `a page of messages that is gone takes neither installation nor marks with it`() throws {
        let room = try roomWithoutMessages()
        #expect(try room.store().load() == DamagedStoreTests.rest)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `whatever became of the bytes, there is an inbox that can be used`(seed: UInt64) throws {
        let room = try room()
        var random = SeededRandom(seed: seed)
        var bytes = try room.bytes
        if random.chance(1, outOf: 3) {
            bytes = bytes.prefix(Int.random(in: 1..<bytes.count, using: &random))
        } else {
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
        }
        try room.write(bytes)
        let store = try room.store()
        var inbox = try store.load()
        let change = StoreChange.view(.ben, CachedView([.made(9)]))
        try store.save([change])
        inbox.apply(change)
        #expect(try store.load() == inbox)
        store.close()
        #expect(try room.store().opening == .opened)
    }

    @Test func `a replacement that a crash interrupted is finished, or begun anew`() throws {
        let whole = try room()
        let room = try StoreRoom()
        try room.write(Data(String(repeating: "x", count: 9000).utf8))
        try FileManager.default.copyItem(atPath: whole.path, toPath: room.path + ".new")
        let store = try room.store()
        #expect(reason(store)?.marks == 1)
        #expect(try store.load() == DamagedStoreTests.inbox)
        store.close()
        #expect(try room.names == ["inbox", "inbox.damaged", "inbox.lock"])

        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: room.path + ".new"))
        #expect(try room.store().load() == DamagedStoreTests.inbox)
        #expect(try !room.names.contains("inbox.new"))
    }

    @Test func `a file that is damaged while it is open is replaced by what is in memory`() throws {
        let room = try room()
        let store = try room.store()
        try room.run("DROP TABLE marks")
        let mark = StoreChange.mark(PendingMark(8, .made(2), .read), replaces: [])
        var inbox = DamagedStoreTests.inbox
        inbox.apply(mark)
        #expect(throws: StoreError.self) { try store.save([mark]) }
        try store.replace(inbox)
        #expect(try store.load() == inbox)
        #expect(try room.names.contains("inbox.damaged"))
    }
}
