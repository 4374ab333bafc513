import InboxModel
import InboxService
import Platform
import Testing

@Suite struct ChangesTests {
    /// A cursor of the world before anything happened in it.
    private func start(_ world: ViewWorld) -> Cursor {
        var state = world.reader.state
        state.deviceRevision = Revision(rawValue: 0)
        return Cursor(
            epoch: 1, app: world.reader.user.app,
            point: ViewPoint(
                state: state, deviceTypes: world.reader.deviceTypes, time: world.reader.now,
                soonestExpiry: nil,
                unreadCount: 0))
    }

    private func page(_ world: ViewWorld, _ touched: String, after cursor: Cursor, limit: Int = 10) -> Changes
    {
        Changes(world.view, of: world.reader, touched: touched.map(id), after: cursor, limit: limit)
    }

    @Test func `what was touched and is there has changed, and the rest is removed`() {
        var world = ViewWorld()
        world.deliver("a")
        world.deliver("b", unread: false)
        let changes = page(world, "bxa", after: start(world))
        #expect(changes.changed.map(\.message) == [id("a"), id("b")])
        #expect(changes.changed.map(\.isUnread) == [true, false])
        #expect(changes.removed == [id("x")])
        #expect(!changes.hasMore && !changes.isReset)
        #expect(changes.cursor.outlook(of: world.reader, epoch: 1) == .current(changes.cursor))
    }

    @Test func `what was not touched is not told`() {
        var world = ViewWorld()
        world.deliver("a")
        world.deliver("b")
        #expect(page(world, "b", after: start(world)).changed.map(\.message) == [id("b")])
    }

    @Test func `pages hold each id once and end where the first began`() {
        var world = ViewWorld()
        for letter in "abcde" { world.deliver(letter) }
        var cursor = start(world)
        var seen: [MessageID] = []
        var pages = 0
        repeat {
            let changes = page(world, "axbcyde", after: cursor, limit: 3)
            seen += changes.changed.map(\.message) + changes.removed
            #expect(changes.changed.count + changes.removed.count <= 3)
            (cursor, pages) = (changes.cursor, pages + 1)
            if !changes.hasMore { break }
        } while pages < 9
        #expect(pages == 3)
        #expect(seen.sorted { $0.halves < $1.halves } == "abcdexy".map(id))
        #expect(cursor.rest == nil && cursor.point.state == world.reader.state)
    }

    @Test func `what happens between pages comes after them`() {
        var world = ViewWorld()
        for letter in "bcd" { world.deliver(letter) }
        let first = page(world, "bcd", after: start(world), limit: 2)
        let seen = world.reader.state
        world.deliver("a")  // stands before what the first page told
        world.reader.state.deviceRevision = Revision(rawValue: 2)
        let second = page(world, "abcd", after: first.cursor, limit: 2)
        #expect(second.changed.map(\.message) == [id("d")])
        #expect(second.hasMore && second.cursor.point.state == seen)
        let third = page(world, "a", after: second.cursor)
        #expect(third.changed.map(\.message) == [id("a")])
        #expect(!third.hasMore)
    }

    @Test(arguments: [(-1, false), (0, true)])
    func `what expires between pages comes after them`(seconds: Int64, more: Bool) {
        var world = ViewWorld()
        world.deliver("a", life: 5)
        for letter in "bc" { world.deliver(letter) }
        let first = page(world, "abc", after: start(world), limit: 2)
        #expect(first.changed.map(\.message) == [id("a"), id("b")])
        world.reader.now = ViewWorld.time(5 + seconds)
        let second = page(world, "abc", after: first.cursor, limit: 2)
        #expect(second.changed.map(\.message) == [id("c")])
        #expect(second.hasMore == more)
        #expect(
            second.cursor.outlook(of: world.reader, epoch: 1) == (more ? .behind : .current(second.cursor)))
    }

    @Test(arguments: [(2, true), (3, false), (4, false)])
    func `there is more exactly if a page cannot hold all`(limit: Int, more: Bool) {
        var world = ViewWorld()
        for letter in "abc" { world.deliver(letter) }
        #expect(page(world, "abc", after: start(world), limit: limit).hasMore == more)
    }

    @Test func `a reset is the whole view`() {
        var world = ViewWorld()
        world.deliver("a")
        let changes = Changes(resetTo: world.view, of: world.reader, epoch: 1)
        #expect(changes.isReset && changes.changed == world.view.rows && changes.removed.isEmpty)
    }
}
