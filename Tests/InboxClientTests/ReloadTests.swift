import ClientCore
import InboxClient
import InboxModel
import Platform
import Testing

/// What another has saved while this one had something under way.
struct ReloadTests {
    /// In step with the server, as nobody.
    private func begun() -> Shell {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2)])
        return shell
    }

    private func reload(_ shell: inout Shell, _ changes: [StoreChange]) {
        var kept = shell.core.stored
        for change in changes { kept.apply(change) }
        shell.handle(.reloaded(kept, unkept: []))
    }

    @Test func `what is as it was tells and asks nothing`() {
        var shell = begun()
        let shown = shell.shown.count
        reload(&shell, [])
        #expect(shell.shown.count == shown)
        #expect(shell.call == nil)
    }

    @Test func `what was changed shows once`() {
        var shell = begun()
        let shown = shell.shown.count
        reload(&shell, [.mark(PendingMark(9, .made(1), .delete), replaces: [])])
        #expect(shell.shown.count == shown + 1)
        #expect(shell.ids == [.made(2)])
        // It is told by whoever can.
        #expect(shell.call == .mark(.delete, [MarkTarget(.made(1))]))
    }

    @Test func `a page that was asked for before is dropped, and whoever waits waits for the next`() {
        var shell = begun()
        shell.handle(.refresh(RefreshID(7)))
        reload(&shell, [.mark(PendingMark(9, .made(1), .delete), replaces: []), .told([9])])
        shell.answer(.page(.whole([.made(1), .made(2)], cursor: "old")))
        #expect(shell.ids == [.made(2)])
        #expect(!shell.news.contains(.refreshed(RefreshID(7), nil)))
        shell.answer(.page(.whole([.made(2)], cursor: "new")))
        #expect(shell.news.contains(.refreshed(RefreshID(7), nil)))
    }

    @Test(arguments: [
        SyncOutcome.done, .failed(.offline), .failed(SyncProblem(.refused(status: 403), "no")),
    ])
    func `after a login that met another's the last one is told again`(outcome: SyncOutcome) {
        var shell = begun()
        shell.handle(.logIn(Login(.ana)))
        #expect(shell.call == .logIn(Login(.ana)))
        reload(&shell, [.login(Login(.ben)), .confirmed(.person(.ben))])
        shell.answer(outcome)
        shell.handle(.reachable)
        #expect(shell.core.person == .ben)
        #expect(shell.answer(.done) == .logIn(Login(.ben)))
        #expect(shell.core.stored.confirmed == .person(.ben))
        #expect(shell.news.allSatisfy { if case .loginRefused = $0 { false } else { true } })
    }

    @Test func `an answer to an installation that the other has replaced replaces nothing`() {
        var shell = begun()
        shell.handle(.refresh(RefreshID(7)))
        var other = Shell.installation
        other.credential = InboxCredential(user: "new", password: "new")
        reload(&shell, [.installation(other)])
        shell.answer(.failed(SyncProblem(.unauthorized, "401")))
        #expect(shell.core.stored.installation == other)
        #expect(!shell.news.contains(.installationReplaced))
        #expect(shell.answer(.done) == .logIn(Login(nil)))
        shell.answer(.page(.whole([.made(3)], cursor: "n1")))
        #expect(shell.news.contains(.refreshed(RefreshID(7), nil)))
        #expect(shell.ids == [.made(3)])
    }

    @Test func `an installation that is wanted is not made if the other has made one`() {
        var core = SyncCore(seed: 1)
        let time = SyncTime(wall: Instant(seconds: 1_800_000_000), uptime: .zero)
        #expect(core.handle(.woken, at: time).contains(.makeInstallation))
        var kept = StoredInbox()
        kept.apply(.installation(Shell.installation))
        _ = core.handle(.reloaded(kept, unkept: []), at: time)
        var mine = Shell.installation
        mine.credential = InboxCredential(user: "mine", password: "mine")
        #expect(core.handle(.installation(mine), at: time) == [])
        #expect(core.stored.installation == Shell.installation)
        #expect(core.call == .register(Shell.installation))
    }

    @Test func `a stream that ends by the other's login tells of nothing`() {
        var shell = begun()
        shell.handle(.watching(true))
        shell.handle(.stream(.ready))
        reload(&shell, [.login(Login(.ben)), .confirmed(.person(.ben))])
        #expect(shell.stream == [.openStream, .closeStream, .openStream])
        shell.handle(.stream(.ended(reason: "person_changed", mayReturn: true)))
        // The new one was opened as ben's: that it ends is somebody else's doing.
        #expect(shell.core.person == nil)
    }

    @Test func `the answer to a mark that could not be kept settles no mark of another under its number`() {
        var shell = begun()
        shell.handle(.mark(.read, [.made(1)]))
        var kept = shell.core.stored
        kept.apply(.told([1]))
        let unkept = Stretch(Login(nil), marks: [PendingMark(1, .made(1), .read)])
        kept.apply(.mark(PendingMark(1, .made(2), .delete), replaces: []))
        shell.handle(.reloaded(kept, unkept: [unkept]))
        shell.answer(.done)
        #expect(shell.core.stored.outbox.head.marks.map(\.message).contains(.made(2)))
    }

    @Test func `a mark of somebody whom the server still has logged in waits under that person`() {
        var shell = begun()
        let ana = Stretch(Login(.ana), marks: [PendingMark(1, .made(1), .read)])
        var kept = shell.core.stored
        kept.apply(.login(Login(.ben)))
        kept.apply(.confirmed(.person(.ana)))
        shell.handle(.reloaded(kept, unkept: [ana]))
        #expect(shell.core.person == .ben)
        #expect(shell.answer(.done) == .mark(.read, [MarkTarget(.made(1))]))
        #expect(shell.answer(.done) == .logIn(Login(.ben)))
        #expect(!shell.news.contains { if case .marksRefused = $0 { true } else { false } })
    }
}
