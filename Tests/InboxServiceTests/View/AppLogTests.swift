import InboxModel
import InboxService
import Platform
import Testing

@Suite struct AppLogTests {
    @Test func `entries above the state's app revision are not applied`() {
        var world = ViewWorld()
        world.deliver("c", sent: -300)
        world.log(broadcast("a", at: 1))
        world.read([
            recall("a", at: 2), broadcast("b", at: 3, sent: -50, floor: ("a", -100)), recall("c", at: 4),
        ])
        #expect(world.text == "AC")
        world.reader.state.appRevision = Revision(rawValue: 3)
        #expect(world.text == "BC")
        world.reader.state.appRevision = Revision(rawValue: 4)
        #expect(world.text == "B")
    }

    @Test func `what is at the floor or behind it is gone, and stays gone`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1, sent: -40), broadcast("b", at: 2, sent: -30))
        world.log(broadcast("c", at: 3, sent: -20, floor: ("b", -30)))
        #expect(world.text == "C")
        world.log(broadcast("d", at: 4, sent: -10))
        #expect(world.text == "DC")
    }

    @Test func `a snapshot from before sees what it showed, however many entries came since`() {
        var world = ViewWorld()
        world.log(
            broadcast("a", at: 1, sent: -40), broadcast("b", at: 2, sent: -30),
            broadcast("e", at: 3, sent: -25, life: 2))
        let before = world.reader
        #expect(world.text == "EBA")
        world.reader.now = ViewWorld.time(3)
        world.log(recall("b", at: 4), broadcast("c", at: 5, sent: -20, floor: ("a", -40)))
        for revision in Int64(6)...9 { world.log(broadcast("d", at: revision, sent: -10, floor: ("a", -40))) }
        #expect(world.text.hasSuffix("C"))
        world.reader = before
        #expect(world.text == "EBA")
    }

    @Test func `what is gone is forgotten after a minute`() {
        var world = ViewWorld()
        world.log(broadcast("a", at: 1, sent: -40), broadcast("b", at: 2, sent: -30))
        let before = world.reader
        world.log(recall("b", at: 3), broadcast("c", at: 4, sent: -20, floor: ("a", -40)))
        world.reader.now = ViewWorld.time(60)
        world.log(recall("x", at: 5))
        #expect(world.text == "C")
        world.reader = before
        #expect(world.text == "")
    }

    @Test func `the floor of a broadcast that has expired still holds`() {
        var world = ViewWorld()
        world.log(
            broadcast("a", at: 1, sent: -40), broadcast("b", at: 2, sent: -30, life: 5, floor: ("a", -40)))
        world.reader.now = ViewWorld.time(6)
        #expect(world.text == "")
        world.log(broadcast("c", at: 3, sent: 0))
        #expect(world.text == "C")
    }

    @Test func `entries that come twice, or again from an older question, change nothing`() {
        var world = ViewWorld()
        let entries = [broadcast("a", at: 1, sent: -20), broadcast("b", at: 2)]
        world.read(entries)
        world.read(entries)
        world.read([entries[0]])
        world.reader.state.appRevision = Revision(rawValue: 2)
        #expect(world.log.revision == Revision(rawValue: 2))
        #expect(world.text == "AB")
    }

    @Test func `a recall is forgotten an hour after its message has expired, and not before`() {
        var log = AppLog()
        log.append(
            LogNews([recall("a", at: 1, life: 1000)], reached: Revision(rawValue: 1)), now: ViewWorld.now)
        for (seconds, isKnown) in [(1000, true), (1000 + 3599, true), (1000 + 3600, false)] {
            log.append(LogNews([], reached: log.revision), now: ViewWorld.time(Int64(seconds)))
            #expect(log.isRecalled(id("a"), at: log.revision) == isKnown, "after \(seconds) s")
        }
    }

    @Test func `a log reaches the revision it was read at, although no entry has it`() {
        var log = AppLog()
        log.append(LogNews([], reached: Revision(rawValue: 9)), now: ViewWorld.now)
        #expect(log.revision == Revision(rawValue: 9))
    }
}
