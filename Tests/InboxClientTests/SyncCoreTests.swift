import ClientCore
import InboxClient
import InboxModel
import Platform
import Testing

struct SyncCoreTests {
    @Test func `a new installation registers, then asks for everything`() {
        var shell = Shell()
        shell.handle(.woken)
        #expect(shell.call == .register(Shell.installation))
        shell.answer(.registered(InboxCredential(user: "u", password: "p")))
        #expect(shell.call == .list(validator: nil))
        shell.answer(.page(.whole([.made(1), .made(2)], cursor: "c1")))
        #expect(shell.ids == [.made(2), .made(1)])
        #expect(shell.call == nil)
        #expect(shell.core.isSettled)
    }

    @Test func `a mark shows at once and is told before anything is asked for`() {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2)])
        shell.handle(.mark(.read, [.made(1)]))
        #expect(shell.unread == [.made(2)])
        #expect(shell.call == .mark(.read, [MarkTarget(.made(1))]))
        shell.answer(.done)
        #expect(shell.call == .changes(since: "c1"))
        shell.answer(.page(.changes([.made(1, isUnread: false)], cursor: "c2")))
        #expect(shell.unread == [.made(2)])
        #expect(shell.core.isSettled)
    }

    @Test
    func `offline, what is read and deleted shows so and is told later: reads, deletions, then the list`() {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2), .made(3)])
        shell.handle(.refresh(RefreshID(1)))
        shell.answer(.failed(.offline))
        shell.handle(.mark(.delete, [.made(3)]))
        shell.answer(.failed(.offline))
        shell.handle(.mark(.read, [.made(1), .made(2)]))
        #expect(shell.ids == [.made(2), .made(1)])
        #expect(shell.unread == [])
        shell.answer(.failed(.offline))
        shell.handle(.reachable)
        #expect(shell.answer(.done) == .mark(.delete, [MarkTarget(.made(3))]))
        #expect(shell.answer(.done) == .mark(.read, [MarkTarget(.made(1)), MarkTarget(.made(2))]))
        #expect(shell.call == .changes(since: "c1"))
    }

    @Test func `what the server still calls unread stays read until the server was told`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.refresh(RefreshID(1)))
        shell.handle(.mark(.read, [.made(1)]))  // while the question is under way
        shell.answer(.page(.changes([.made(1), .made(2)], cursor: "c2")))
        #expect(shell.unread == [.made(2)])
        shell.answer(.done)
        shell.answer(.page(.changes([.made(1, isUnread: false)], cursor: "c3")))
        #expect(shell.unread == [.made(2)])
    }

    @Test func `what the server was told stays so while it cannot be asked`() {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2), .made(3, isUnread: false)])
        for (mark, number) in [(MessageMark.read, 1), (.delete, 2), (.unread, 3)] {
            shell.handle(.mark(mark, [.made(number)]))
            shell.answer(.done)
            #expect(shell.answer(.failed(.offline)) == .changes(since: "c1"))
            #expect(shell.core.stored.outbox.count == 0)
        }
        #expect(shell.ids == [.made(3), .made(1)])
        #expect(shell.unread == [.made(3)])
        #expect(shell.shown.count == 4, "nothing is shown that was not so")
    }

    @Test func `pages from before a mark was told are asked for again`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.hint)
        shell.handle(.mark(.read, [.made(1)]))
        shell.answer(.page(.changes([.made(1), .made(2)], cursor: "c2", hasMore: true)))
        shell.answer(.done)
        #expect(shell.call == .changes(since: "c1"))
        #expect(shell.unread == [])
    }

    @Test func `of marks of one message the last counts, and a deletion stays`() {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2)])
        shell.handle(.refresh(RefreshID(1)))
        for mark in [MessageMark.read, .unread, .read] { shell.handle(.mark(mark, [.made(1)])) }
        shell.handle(.mark(.delete, [.made(2)]))
        shell.handle(.mark(.read, [.made(2)]))
        #expect(shell.core.stored.outbox.head.marks.map(\.mark) == [.read, .delete])
    }

    @Test func `pages are shown together`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.hint)
        shell.answer(.page(.changes([.made(2)], cursor: "c2", hasMore: true)))
        #expect(shell.ids == [.made(1)])
        #expect(shell.call == .changes(since: "c2"))
        shell.answer(.page(.changes([.made(3)], removed: [2], cursor: "c3")))
        #expect(shell.ids == [.made(3), .made(1)])
        #expect(shell.core.stored.view(of: nil)?.cursor == "c3")
    }

    @Test func `after a reset only what came is shown`() {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2)])
        shell.handle(.hint)
        var first = SyncPage.whole([.made(3)], cursor: "r1")
        first.hasMore = true
        shell.answer(.page(first))
        #expect(shell.ids == [.made(2), .made(1)])
        shell.answer(.page(.changes([.made(2)], cursor: "r2")))
        #expect(shell.ids == [.made(3), .made(2)])
    }

    @Test func `a page that comes twice changes nothing`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        let page = SyncPage.changes([.made(2, isUnread: false)], removed: [1], cursor: "c2")
        for _ in 0..<2 {
            shell.handle(.hint)
            shell.answer(.page(page))
            #expect(shell.ids == [.made(2)])
        }
    }

    @Test func `an expired message goes at its second, without an answer`() {
        var shell = Shell()
        shell.begin(with: [.made(1, expires: shell.now.wall.adding(seconds: 60)), .made(2)])
        #expect(shell.wake == .seconds(60))
        shell.pass(.seconds(59))
        #expect(shell.ids.count == 2)
        shell.pass(.seconds(1))
        #expect(shell.ids == [.made(2)])
        #expect(shell.shown.last?.unreadCount == 1)
    }

    @Test
    func
        `a host may show what has expired: marked as such, not counted, and for as long as it is not deleted`()
    {
        var options = SyncOptions()
        options.keepsExpired = true
        var shell = Shell(options: options)
        shell.begin(with: [.made(1, expires: shell.now.wall.adding(seconds: 60)), .made(2)])
        #expect(shell.shown.last?.unreadCount == 2)
        shell.pass(.seconds(60))
        #expect(shell.ids == [.made(2), .made(1)])
        #expect(shell.shown.last?.messages.map(\.isExpired) == [false, true])
        #expect(shell.shown.last?.unreadCount == 1)
        shell.handle(.hint)
        shell.answer(.page(.changes([], removed: [1], cursor: "c2")))
        #expect(shell.ids == [.made(2), .made(1)])
        shell.handle(.hint)
        shell.answer(.page(.whole([.made(3)], cursor: "c3")))
        #expect(shell.ids == [.made(3), .made(1)])
        shell.handle(.mark(.delete, [.made(1)]))
        shell.answer(.done)
        #expect(shell.ids == [.made(3)])
    }

    @Test func `a device whose clock is wrong goes by the server's`() {
        var shell = Shell()
        let behind = shell.now.wall.adding(seconds: 3600)
        shell.handle(.woken)
        shell.answer(.registered(InboxCredential(user: "u", password: "p")), serverTime: behind)
        shell.answer(
            .page(.whole([.made(1, expires: behind.adding(seconds: 10))], cursor: "c")), serverTime: behind)
        #expect(shell.ids == [.made(1)])
        #expect(shell.wake == .seconds(10))
        shell.pass(.seconds(10))
        #expect(shell.ids == [])
    }

    @Test func `nothing is told of a refresh that changed nothing`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        let (shown, saved) = (shell.shown.count, shell.saved.count)
        shell.handle(.refresh(RefreshID(1)))
        shell.answer(.page(.changes([], cursor: "c1")))
        #expect(shell.shown.count == shown)
        #expect(shell.saved.count == saved)
        #expect(shell.news == [.refreshed(RefreshID(1), nil)])
    }

    @Test func `failures are followed by pauses that grow, and by one try when somebody asks`() {
        var shell = Shell()
        shell.begin()
        var pauses: [Duration] = []
        shell.handle(.refresh(RefreshID(1)))
        for _ in 0..<12 {
            shell.answer(.failed(.offline))
            let wake = shell.wake ?? .zero
            pauses.append(wake - shell.now.uptime)
            shell.pass(wake - shell.now.uptime)
            #expect(shell.call == .changes(since: "c1"))
        }
        #expect(pauses[0] >= .milliseconds(500) && pauses[0] <= .seconds(1))
        #expect(pauses.allSatisfy { $0 <= .seconds(300) })
        #expect(pauses[11] >= .seconds(150))
        #expect(shell.news.first == .refreshed(RefreshID(1), .offline))
        shell.answer(.failed(.offline))
        shell.handle(.refresh(RefreshID(2)))
        #expect(shell.call == .changes(since: "c1"))
    }

    @Test func `a server that asks to come back later is left alone until then`() {
        var shell = Shell()
        shell.begin()
        shell.handle(.hint)
        shell.answer(.failed(SyncProblem(.busy, "503", retryAfter: .seconds(30))))
        shell.handle(.refresh(RefreshID(1)))
        #expect(shell.call == nil)
        guard case .refreshed(_, .some) = shell.news.last else {
            return #expect(Bool(false), "must be refused")
        }
        shell.pass(.seconds(29))
        #expect(shell.call == nil)
        shell.pass(.seconds(1))
        #expect(shell.call != nil)
    }

    @Test func `marks that are refused are told one by one, and only the wrong one is given up`() {
        var shell = Shell()
        shell.begin(with: (1...4).map { .made($0) })
        shell.handle(.mark(.read, (1...4).map { .made($0) }))
        let refused = SyncProblem(.refused(status: 400), "no")
        shell.answer(.failed(refused))
        #expect(shell.answer(.failed(refused)) == .mark(.read, [MarkTarget(.made(1)), MarkTarget(.made(2))]))
        #expect(shell.answer(.failed(refused)) == .mark(.read, [MarkTarget(.made(1))]))
        #expect(shell.news == [.marksRefused([.made(1)], refused)])
        #expect(shell.answer(.done) == .mark(.read, [MarkTarget(.made(2))]))
        #expect(shell.answer(.done) == .mark(.read, [MarkTarget(.made(3)), MarkTarget(.made(4))]))
    }

    @Test(arguments: [403, 404, 405, 409]) func `a refusal that says nothing of the marks loses none`(
        status: Int
    ) {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.mark(.read, [.made(1)]))
        shell.answer(.failed(SyncProblem(.refused(status: status), "no")))
        #expect(shell.core.stored.outbox.count == 1)
    }

    @Test func `a void credential is replaced by another installation, which keeps what is to be told`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.mark(.read, [.made(1)]))
        shell.answer(.failed(SyncProblem(.unauthorized, "401")))
        #expect(shell.news == [.installationReplaced])
        #expect(shell.call == .register(Shell.installation))
        #expect(shell.core.stored.outbox.count == 1)
        // And once only, until something has worked.
        shell.answer(.registered(InboxCredential(user: "u2", password: "p2")))
        shell.answer(.failed(SyncProblem(.unauthorized, "401")))
        #expect(shell.news.count == 2)
        #expect(shell.call == nil)
    }

    @Test func `a cursor that the server does not take is followed by a whole list`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.hint)
        shell.answer(.failed(SyncProblem(.refused(status: 400), "cursor")))
        shell.pass(.seconds(1))
        #expect(shell.call == .list(validator: nil))
    }

    @Test func `switched off it is empty and silent, and nothing from before is shown when it is on again`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.enabled(false))
        #expect(shell.shown.last == Shown())
        shell.handle(.refresh(RefreshID(1)))
        #expect(shell.call == nil)
        guard case .refreshed(_, .some) = shell.news.last else { return #expect(Bool(false), "must fail") }
        shell.handle(.enabled(true))
        #expect(shell.ids == [])
        #expect(shell.call == .list(validator: nil))
    }

    @Test func `at most so many messages are kept, the newest`() {
        var options = SyncOptions()
        options.mostMessages = 200
        var shell = Shell(options: options)
        shell.begin(with: (1...205).map { .made($0) })
        #expect(shell.ids.count == 200)
        #expect(shell.ids.last == .made(6))
        // Those that are deleted make room for those that were left out.
        shell.handle(.mark(.delete, (200...205).map { .made($0) }))
        shell.answer(.done)
        #expect(shell.call == .list(validator: nil))
        shell.answer(.page(.whole((1...199).map { .made($0) }, cursor: "c2")))
        #expect(shell.ids.count == 199)
    }

    @Test func `of more messages than are kept only a list that has changed is fetched again`() {
        var options = SyncOptions()
        options.mostMessages = 200
        var shell = Shell(options: options)
        let soon = shell.now.wall.adding(seconds: 60)
        let all = (1...205).map { MessageRow.made($0, expires: $0 == 204 ? soon : nil) }
        shell.begin(with: all, validator: "v1")
        shell.handle(.refresh(RefreshID(1)))
        #expect(shell.answer(.unchanged) == .list(validator: "v1"))
        #expect(shell.news == [.refreshed(RefreshID(1), nil)])
        shell.handle(.hint)
        #expect(shell.call == .list(validator: "v1"))
        shell.answer(.page(.whole(all + [.made(206)], cursor: "c2", validator: "v2")))
        #expect(shell.ids.first == .made(206) && shell.ids.last == .made(7))
        // Also after a restart.
        var again = Shell(shell.core.stored, options: options)
        again.handle(.woken)
        #expect(again.answer(.unchanged) == .list(validator: "v2"))
        // What expires makes room, and the list is still the same.
        again.pass(.seconds(60))
        again.handle(.hint)
        #expect(again.call == .list(validator: nil))
        // With a higher limit there is room as well; when all is kept, changes are asked for.
        options.mostMessages = 300
        var larger = Shell(shell.core.stored, options: options)
        larger.handle(.woken)
        #expect(
            larger.answer(.page(.whole(all, cursor: "c2", validator: "v2"))) == .list(validator: nil))
        larger.handle(.hint)
        #expect(larger.call == .changes(since: "c2"))
    }
}
