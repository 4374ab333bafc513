import InboxModel
import InboxService
import Platform
import Testing

@Suite struct ViewTests {
    @Test func `an empty inbox is an empty view that never changes by itself`() {
        let view = ViewWorld().view
        #expect(view.rows.isEmpty && view.unreadCount == 0 && view.soonestExpiry == nil)
    }

    @Test func `messages are in order of sending, newest first, wherever they are held`() {
        var world = ViewWorld()
        world.deliver("a", sent: -10)
        world.deliver("c", sent: -30)
        world.deliver("b", sent: -20)  // the person's inbox comes after the device's
        world.log(broadcast("d", at: 1, sent: -25))
        #expect(world.text == "ABDC")
    }

    @Test func `messages of one millisecond are in the order of their ids as ASCII text`() throws {
        var world = ViewWorld()
        // `-`, digits, `A`, `_`, `a`: not the order of the bytes that they stand for.
        let texts = ["-", "0", "A", "_", "a"].map { $0 + "AAAAAAAAAAAAAAAAAAAAA" }
        for text in texts.reversed() {
            let message = try #require(MessageID(text: text.utf8))
            world.deliveries.append(DeliveryRow(message: message, isUnread: true))
            world.facts[message] = MessageFacts(
                sent: Instant(rawValue: ViewWorld.now.rawValue + Int64(world.deliveries.count)),
                expires: ViewWorld.time(9), deviceTypes: .all)
        }
        #expect(world.view.rows.map(\.message.text) == texts)
    }

    @Test func `rule 4: a broadcast deleted by device or person is gone, whatever the other says later`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1), broadcast("b", at: 2))
        world.mark("a", deleted: true, at: 1)
        world.mark("a", unread: true, at: 2)
        world.mark("b", at: 1)
        #expect(world.text == "b")
    }

    @Test func `rule 5: of two marks of a broadcast the later counts`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1), broadcast("b", at: 2))
        world.mark("a", unread: false, at: 1)
        world.mark("a", unread: true, at: 2)
        world.mark("b", unread: false, at: 2)
        world.mark("b", unread: true, at: 1)
        #expect(world.text == "Ab")
    }

    @Test(arguments: [true, false])
    func `rule 5: of two marks at the same time the one that says read counts`(isFirstUnread: Bool) {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1))
        world.mark("a", unread: isFirstUnread, at: 1)
        world.mark("a", unread: !isFirstUnread, at: 1)
        #expect(world.text == "a")
    }

    @Test func `rule 6: the unread count is that of the rows`() {
        var world = ViewWorld()
        world.deliver("a")
        world.deliver("b", unread: false)
        world.deliver("c", life: 0)
        world.log(broadcast("d", at: 1), broadcast("e", at: 2))
        world.mark("e")
        #expect(world.view.unreadCount == 2)
        #expect(world.view.unreadCount == world.view.rows.count(where: \.isUnread))
    }

    @Test
    func
        `rule 7: a message in the device's and the person's inbox is listed once, and read in either is read`()
    {
        var world = ViewWorld()
        world.deliver("a", unread: true)
        world.deliver("b", sent: -200)
        world.deliver("a", unread: false)
        #expect(world.text == "aB")
        #expect(world.view.unreadCount == 1)
    }

    @Test func `rule 8: a broadcast is visible above the baseline only`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 5, sent: -20), broadcast("b", at: 6, sent: -10))
        world.reader.baseline = Revision(rawValue: 5)
        #expect(world.text == "B")
    }

    @Test func `rule 10: a recalled broadcast is gone at the recall's revision`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1))
        world.log(recall("a", at: 2))
        #expect(world.text == "")
    }

    @Test func `rule 10: a recalled delivery is gone although its row is there`() {
        var world = ViewWorld()
        world.deliver("a")
        world.deliver("b")
        world.log(recall("a", at: 2))
        #expect(world.text == "B")
    }

    @Test func `rule 11: a message is gone from the very moment of its expiry`() {
        var world = ViewWorld()
        world.deliver("a", life: 10)
        world.log(broadcast("b", at: 1, sent: -200, life: 10))
        world.reader.now = Instant(rawValue: ViewWorld.time(10).rawValue - 1)
        #expect(world.text == "AB")
        world.reader.now = ViewWorld.time(10)
        #expect(world.text == "")
    }

    @Test func `a message shows only on the device types that it is for`() {
        var world = ViewWorld()
        world.deliver("a", types: DeviceTypes(.android))
        world.deliver("b", types: [DeviceTypes(.ios), DeviceTypes(.android)])
        world.log(broadcast("c", at: 1, sent: -200, types: DeviceTypes(.android)))
        #expect(world.text == "B")
        world.reader.deviceTypes = .all
        #expect(world.view.rows.count == 3)
    }

    @Test func `a message that does not exist any more is not listed`() {
        var world = ViewWorld()
        world.deliver("a")
        world.log(broadcast("b", at: 1))
        world.facts = [:]
        #expect(world.text == "")
    }

    @Test func `the soonest expiry is that of what is shown`() {
        var world = ViewWorld()
        world.deliver("a", life: 50)
        world.deliver("b", life: 20, types: DeviceTypes(.android))
        world.deliver("c", life: -5)
        world.log(broadcast("d", at: 1, life: 30), broadcast("e", at: 2, life: 10))
        world.mark("e", deleted: true)
        #expect(world.view.soonestExpiry == ViewWorld.time(30))
    }
}
