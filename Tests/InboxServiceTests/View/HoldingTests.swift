import InboxModel
import InboxService
import Platform
import Testing

@Suite struct HoldingTests {
    private let facts = MessageFacts(
        sent: ViewWorld.time(-10), expires: ViewWorld.time(10), deviceTypes: DeviceTypes(.ios))

    private func isInView(
        _ world: ViewWorld, delivered: Bool = false, deletedBroadcast: Bool = false, live: Bool = true,
        exists: Bool = true
    ) -> Bool {
        let holding = Holding(
            reader: world.reader, delivered: (device: delivered, person: false),
            isDeletedBroadcast: deletedBroadcast, isLive: live)
        return holding.isInView(id("a"), facts: exists ? facts : nil, log: world.log)
    }

    @Test func `a delivered message is in the view while it lives`() {
        var world = ViewWorld()
        #expect(isInView(world, delivered: true))
        #expect(!isInView(world, delivered: true, live: false))
        #expect(!isInView(world, delivered: true, exists: false))
        #expect(!isInView(world))
        world.reader.deviceTypes = DeviceTypes(.android)
        #expect(!isInView(world, delivered: true))
    }

    @Test func `a delivered message that the log took back is not`() {
        var world = ViewWorld()
        world.log(recall("a", at: 1))
        #expect(!isInView(world, delivered: true))
    }

    @Test func `a broadcast is in the view unless it was deleted or came before the baseline`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1, sent: -10, life: 10, types: DeviceTypes(.ios)))
        #expect(isInView(world))
        #expect(!isInView(world, deletedBroadcast: true))
        world.reader.baseline = Revision(rawValue: 1)
        #expect(!isInView(world))
    }
}
