import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform
import Testing

@Suite struct SQLiteStoreTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func `what changes make in memory is what is read from the file, whenever it is opened again`(
        seed: UInt64
    ) throws {
        let room = try StoreRoom()
        var changes = RandomChanges(seed: seed)
        var store = try room.store()
        #expect(store.opening == .fresh)
        for _ in 0..<40 {
            try store.save(changes.batch())
            if changes.chance(1, outOf: 5) {
                if changes.chance(1, outOf: 2) { store.close() }
                store = try room.store()
                #expect(store.opening == .opened)
            }
            try #require(try store.load() == changes.inbox)
        }
        try store.replace(StoredInbox())
        #expect(try store.load() == StoredInbox())
        try store.replace(changes.inbox)
        #expect(try store.load() == changes.inbox)
    }

    @Test func `memory keeps the same`() throws {
        let store = MemoryStore()
        var changes = RandomChanges(seed: 1)
        for _ in 0..<40 {
            try store.save(changes.batch())
            #expect(try store.load() == changes.inbox)
        }
        store.close()
        #expect(throws: StoreError.closed) { try store.load() }
    }

    @Test func `a message is kept once for all views, and goes with the last of them`() throws {
        let room = try StoreRoom()
        let store = try room.store()
        let rows: [MessageRow] = [.made(1), .made(2)]
        try store.save([.view(nil, CachedView(rows)), .view(.ana, CachedView(rows))])
        #expect(try count("messages", in: room) == 2)
        try store.save([.rows(nil, changed: [.made(1, isUnread: false)], removed: [.made(2)], cursor: nil)])
        #expect(try count("messages", in: room) == 2)
        try store.save([.forget(.ana)])
        #expect(try count("messages", in: room) == 1)
        try store.save([.installation(Shell.installation)])
        #expect(try count("messages", in: room) == 0)
    }

    private func count(_ table: String, in room: StoreRoom) throws -> Int64? {
        let connection = try SQLiteConnection(path: room.path)
        defer { connection.close() }
        return try connection.number("SELECT count(*) FROM \(table)")
    }

    @Test func `only the owner may read the files, whatever they were before`() throws {
        let room = try StoreRoom()
        _ = FileManager.default.createFile(
            atPath: room.path, contents: nil, attributes: [.posixPermissions: 0o666])
        let store = try room.store()
        try store.save([.installation(Shell.installation)])
        #expect(try room.names == ["inbox", "inbox-shm", "inbox-wal", "inbox.lock"])
        for name in try room.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: room.folder + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        store.close()
        #expect(try room.names == ["inbox", "inbox.lock"])
    }

    @Test func `a full disk is an error in SQLite's words, nothing is half written, and less can be kept`()
        throws
    {
        var options = SQLiteStoreOptions()
        options.mostBytes = 150_000
        let room = try StoreRoom()
        let store = try room.store(options)
        try store.save([.installation(Shell.installation)])
        let before = try store.load()
        let large = (1...2000).map { MessageRow.made($0) }
        let error = #expect(throws: StoreError.self) {
            try store.save([.confirmed(.person(.ana)), .view(nil, CachedView(large))])
        }
        #expect(error == .failed(code: 13, "database or disk is full"))
        #expect(try store.load() == before)
        #expect(throws: StoreError.self) { try store.replace(inbox(of: large)) }
        #expect(try store.load() == before)
        try store.replace(inbox(of: Array(large.prefix(50))))
        #expect(try room.store().load() == inbox(of: Array(large.prefix(50))))
    }

    private func inbox(of rows: [MessageRow]) -> StoredInbox {
        var inbox = StoredInbox()
        inbox.apply(.installation(Shell.installation))
        inbox.apply(.view(nil, CachedView(rows)))
        return inbox
    }

    @Test func `a lock that another process holds is an error after a while, and no harm`() throws {
        var options = SQLiteStoreOptions()
        options.busyMilliseconds = 1
        let room = try StoreRoom()
        let store = try room.store(options)
        let other = try SQLiteConnection(path: room.path)
        try other.run("BEGIN IMMEDIATE")
        #expect(throws: StoreError.failed(code: 5, "database is locked")) {
            try store.save([.confirmed(.person(nil))])
        }
        try other.run("ROLLBACK")
        try store.save([.confirmed(.person(nil))])
        #expect(try store.load().confirmed == .person(nil))
    }

    @Test func `what can not be written can be read, and is written when it can be again`() throws {
        var options = SQLiteStoreOptions()
        options.busyMilliseconds = 1
        let room = try StoreRoom()
        try room.store().save([.installation(Shell.installation)])
        let other = try SQLiteConnection(path: room.path)
        try other.run("BEGIN IMMEDIATE")
        let store = try room.store(options)
        #expect(try store.load().installation == Shell.installation)
        #expect(throws: StoreError.self) { try store.save([.clear]) }
        try other.run("ROLLBACK")
        try store.save([.confirmed(.person(.ana))])
        #expect(try store.load().confirmed == .person(.ana))
    }

    @Test func `whoever does not know what another has saved is told to load again`() throws {
        let room = try StoreRoom()
        let (app, extensionOfIt) = (try room.store(), try room.store())
        try app.save([.confirmed(.person(.ana))])
        #expect(try app.loadIfChanged() == nil)
        #expect(throws: StoreError.outdated) { try extensionOfIt.save([.clear]) }
        #expect(throws: StoreError.outdated) { try extensionOfIt.replace(StoredInbox()) }
        #expect(try extensionOfIt.loadIfChanged()?.confirmed == .person(.ana))
        #expect(try extensionOfIt.loadIfChanged() == nil)
        try extensionOfIt.save([.confirmed(.person(.ben))])
        #expect(throws: StoreError.outdated) { try app.save([.clear]) }
        #expect(try app.load().confirmed == .person(.ben))
        try app.save([.installation(Shell.installation)])
        #expect(try extensionOfIt.load().installation == Shell.installation)
    }

    @Test func `who opens and reads changes nothing for whoever writes`() throws {
        let room = try StoreRoom()
        let app = try room.store()
        try app.save([.installation(Shell.installation)])
        let extensionOfIt = try room.store()
        _ = try extensionOfIt.load()
        extensionOfIt.close()
        try app.save([.confirmed(.person(.ana))])
    }

    @Test func `those who open a new file at once all find it whole`() async throws {
        for _ in 0..<20 {
            let room = try StoreRoom()
            let openings = try await withThrowingTaskGroup(of: StoreOpening.self) { group in
                for _ in 0..<4 { group.addTask { try room.store().opening } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(openings.filter { $0 == .fresh }.count == 1)
            #expect(openings.filter { $0 == .opened }.count == 3)
        }
    }

    @Test func `what is read is of one moment, whatever is saved meanwhile`() async throws {
        let room = try StoreRoom()
        let (writer, reader) = (try room.store(), try room.store())
        let rows: [MessageRow] = (1...50).map { .made($0) }
        try writer.save([.view(nil, CachedView(rows)), .view(.ana, CachedView(rows))])
        async let writing: Void = {
            for step in 0..<200 {
                let other = CachedView(step % 2 == 0 ? [] : rows)
                try writer.save([.view(nil, other), .view(.ana, other)])
            }
        }()
        for _ in 0..<200 {
            let inbox = try reader.load()
            #expect(inbox.view(of: nil)?.rows.count == inbox.view(of: .ana)?.rows.count)
        }
        try await writing
    }

    @Test func `a file of the first version is brought to this one, with all there is`() throws {
        let room = try StoreRoom()
        var changes = RandomChanges(seed: 3)
        let store = try room.store()
        for _ in 0..<20 { try store.save(changes.batch()) }
        store.close()
        try room.run(StoreRoom.toFirstVersion)
        let again = try room.store()
        #expect(again.opening == .opened)
        #expect(try again.load() == asOfFirstVersion(changes.inbox))
    }

    /// What a file of the first version can say of an inbox: marks say nothing of their messages, but these do; nothing is cut, nor in another
    /// order than that of times and ids.
    private func asOfFirstVersion(_ inbox: StoredInbox) -> StoredInbox {
        var inbox = inbox
        let reporting = Dictionary(
            inbox.views.flatMap(\.view.rows).compactMap { row in
                row.content.device.map { (row.id, $0.reporting) }
            }
        ) { first, _ in first }
        let stretches = inbox.outbox.stretches.map { stretch in
            Stretch(
                stretch.login,
                marks: stretch.marks.map {
                    PendingMark($0.number, $0.message, $0.mark, reporting: reporting[$0.message])
                })
        }
        inbox.outbox = Outbox(stretches, lastNumber: inbox.outbox.lastNumber)
        for index in inbox.views.indices {
            let old = inbox.views[index].view
            let rows = old.rows.map { MessageRow($0.content, isUnread: $0.isUnread, place: $0.place) }
            let validator = old.cursor == nil ? nil : old.validator
            inbox.views[index].view = CachedView(rows, cursor: old.cursor, validator: validator)
        }
        return inbox
    }

    @Test func `a file that was taken away is noticed, and loading makes another`() throws {
        let room = try StoreRoom()
        let store = try room.store()
        for name in try room.names { try FileManager.default.removeItem(atPath: room.folder + "/" + name) }
        #expect(throws: StoreError.outdated) { try store.save([.confirmed(.person(.ana))]) }
        #expect(try store.load() == StoredInbox())
        try store.save([.confirmed(.person(.ana))])
        #expect(try room.store().load().confirmed == .person(.ana))
    }

    @Test func `where there is no folder the store says so`() throws {
        #expect(throws: StoreError.self) { try SQLiteStore(path: "/nowhere/at/all/inbox") }
    }

    @Test func `a closed store refuses`() throws {
        let store = try StoreRoom().store()
        store.close()
        #expect(throws: StoreError.closed) { try store.load() }
        #expect(throws: StoreError.closed) { try store.save([.clear]) }
        #expect(throws: StoreError.closed) { try store.replace(StoredInbox()) }
    }
}
