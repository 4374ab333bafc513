import Foundation
import InboxClient
import Platform
import Testing

@Suite struct PowerLossTests {
    /// What an image may hold, and what images were taken.
    private struct Shots: Sendable {
        var images: [(image: StoreRoom, point: StorePoint)] = []
        var isOn = false
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `what was on the disk at any point is the inbox before the save, or after it`(seed: UInt64) throws {
        let room = try StoreRoom()
        let shots = Lock(Shots())
        var options = SQLiteStoreOptions()
        options.reached = { point in
            guard shots.withLock({ $0.isOn }), let image = try? room.image() else { return }
            shots.withLock { $0.images.append((image, point)) }
        }
        let store = try room.store(options)
        var changes = RandomChanges(seed: seed)
        for step in 0..<24 {
            let before = changes.inbox
            shots.withLock { $0.isOn = step % 4 == 3 }
            try store.save(changes.batch())
            let taken = shots.withLock { shots in
                defer { shots.images = [] }
                return shots.images
            }
            #expect(taken.isEmpty == (step % 4 != 3))
            for shot in taken {
                let expected = shot.point == .committed ? changes.inbox : before
                try judge(shot.image, expected)
            }
        }
    }

    /// Opens an image as it is.
    private func judge(_ image: StoreRoom, _ expected: StoredInbox) throws {
        let store = try image.store()
        #expect(store.opening == .opened)
        #expect(try store.load() == expected)
        store.close()
        try image.remove()
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a log that was not written to its end holds every save up to there`(seed: UInt64) throws {
        let room = try StoreRoom()
        let store = try room.store()
        var changes = RandomChanges(seed: seed)
        var states = [changes.inbox]
        for _ in 0..<10 {
            try store.save(changes.batch())
            states.append(changes.inbox)
        }
        let image = try room.image()
        let log = URL(fileURLWithPath: image.path + "-wal")
        var random = SeededRandom(seed: seed)
        let bytes = try Data(contentsOf: log)
        try bytes.prefix(Int.random(in: 0...bytes.count, using: &random)).write(to: log)
        let torn = try image.store()
        #expect(torn.opening == .opened)
        #expect(states.contains(try torn.load()))
    }
}
