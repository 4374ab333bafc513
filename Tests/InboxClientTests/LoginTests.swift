import ClientCore
import InboxClient
import InboxModel
import Platform
import Testing

struct LoginTests {
    /// Logged in as ana, who has message 1 and shares 2 and 3 with the device.
    private func ana() -> Shell {
        var shell = Shell()
        shell.begin()
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.done)
        shell.answer(
            .page(.whole([.made(1, place: .person), .made(2), .made(3, place: .app)], cursor: "a1")))
        return shell
    }

    @Test func `after a switch without network nothing of the one before is shown, and the other's is`() {
        var shell = ana()
        shell.handle(.logIn(Login(.ben)))
        #expect(shell.ids == [.made(2)])
        shell.answer(.failed(.offline))
        shell.handle(.logIn(Login(.ana)))
        #expect(shell.ids == [.made(3), .made(2), .made(1)])
        shell.handle(.logIn(Login(nil)))
        #expect(!shell.ids.contains(.made(1)))
    }

    @Test
    func `of what was sent to everyone somebody new sees what the device knows, as the device knows it`() {
        var shell = Shell()
        shell.begin(with: [.made(3, place: .app), .made(4, place: .app)])
        shell.handle(.logIn(Login(.ana)))
        #expect(shell.ids == [.made(4), .made(3)])
        shell.answer(.done)
        // Ana has read one elsewhere and deleted the other; a third was sent before the device was there.
        shell.answer(
            .page(.whole([.made(3, isUnread: false, place: .app), .made(1, place: .app)], cursor: "a1")))
        #expect(shell.unread == [.made(1)])
        shell.handle(.logIn(Login(.ben)))
        #expect(shell.ids == [.made(4), .made(3)])
        #expect(shell.unread == [.made(4), .made(3)])
    }

    @Test func `what a person has whom only a backend logged in is not shown to the next`() {
        var shell = Shell()
        shell.begin(with: [.made(1, place: .person), .made(2)])
        shell.handle(.logIn(Login(.ana)))
        #expect(shell.ids == [.made(2)])
    }

    @Test func `after a logout, too, nothing shows that was the person's before`() {
        var shell = Shell()
        shell.handle(.woken)
        shell.answer(.registered(InboxCredential(user: "user", password: "password")))
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.failed(.offline))
        shell.handle(.reachable)
        shell.answer(.done)
        shell.answer(
            .page(.whole([.made(1, isUnread: false, place: .app), .made(2, isUnread: false)], cursor: "a1")))
        var kept = shell.core.stored
        kept.apply(.forget(nil))
        var again = Shell(kept)
        again.handle(.logIn(Login(nil)))
        #expect(again.ids == [.made(2)])
        #expect(again.unread == [])
    }

    @Test func `from ana to ben and back without network the server is told who is here`() {
        var shell = ana()
        shell.handle(.refresh(RefreshID(1)))
        shell.answer(.failed(.offline))
        shell.handle(.logIn(Login(.ben)))
        shell.answer(.failed(.offline))
        shell.handle(.logIn(Login(.ana)))
        // The first attempt may have reached the server, so that it is told who is here.
        shell.handle(.reachable)
        #expect(shell.call == .logIn(Login(.ana)))
        #expect(shell.ids.contains(.made(1)))
    }

    @Test func `what one did is told before the other is logged in`() {
        var shell = ana()
        shell.handle(.refresh(RefreshID(1)))
        shell.handle(.mark(.read, [.made(1)]))
        shell.handle(.logIn(Login(.ben)))
        shell.handle(.mark(.delete, [.made(2)]))
        shell.answer(.failed(.offline))
        shell.handle(.reachable)
        #expect(shell.answer(.done) == .mark(.read, [MarkTarget(.made(1))]))
        #expect(shell.answer(.done) == .logIn(Login(.ben)))
        #expect(shell.answer(.done) == .mark(.delete, [MarkTarget(.made(2))]))
    }

    @Test func `what one told the server of a shared message shows to the other, and of an own one does not`()
    {
        var shell = ana()
        shell.handle(.logIn(Login(.ben)))
        shell.answer(.done)
        shell.answer(
            .page(.whole([.made(1, place: .person), .made(2), .made(3, place: .app)], cursor: "b1")))
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.done)
        shell.answer(.page(.changes([], cursor: "a2")))
        shell.handle(.mark(.read, [.made(1), .made(2), .made(3)]))
        shell.answer(.done)
        shell.answer(.failed(.offline))
        shell.handle(.logIn(Login(.ben)))
        #expect(shell.ids == [.made(3), .made(2), .made(1)])
        #expect(shell.unread == [.made(1)])
    }

    @Test func `a refused login leaves nobody logged in, and is told`() {
        var shell = ana()
        shell.handle(.logIn(Login(.ben, proof: "x")))
        let refusal = SyncProblem(.refused(status: 403), "no proof")
        shell.answer(.failed(refusal))
        #expect(shell.core.person == nil)
        #expect(shell.news.last == .loginRefused(.ben, refusal))
        #expect(!shell.ids.contains(.made(1)))
        #expect(shell.core.stored.confirmed == .person(nil))
        #expect(shell.call?.isRefresh == true)
    }

    @Test(arguments: [403, 400]) func `who logs in after a login that is then refused stays logged in`(
        status: Int
    ) {
        var shell = Shell()
        shell.begin()
        shell.handle(.logIn(Login(.ana, proof: "bad")))
        shell.handle(.logIn(Login(.ben, proof: "good")))
        let refusal = SyncProblem(.refused(status: status), "no proof")
        #expect(shell.answer(.failed(refusal)) == .logIn(Login(.ana, proof: "bad")))
        #expect(shell.news == [.loginRefused(.ana, refusal)])
        #expect(shell.core.person == .ben)
        #expect(shell.call == .logIn(Login(.ben, proof: "good")))
        shell.answer(.done)
        #expect(shell.core.stored.confirmed == .person(.ben))
    }

    @Test func `a fresh proof is told after the old one was refused, with all that was done since`() {
        var shell = ana()
        shell.handle(.logIn(Login(.ben, proof: "old")))
        shell.handle(.mark(.read, [.made(2)]))
        shell.handle(.logIn(Login(.ben, proof: "fresh")))
        let refusal = SyncProblem(.refused(status: 403), "no proof")
        shell.answer(.failed(refusal))
        #expect(shell.news == [.troubled(refusal)])
        #expect(shell.ids == [.made(2)])
        #expect(shell.answer(.done) == .logIn(Login(.ben, proof: "fresh")))
        #expect(shell.call == .mark(.read, [MarkTarget(.made(2))]))
        // Should the fresh one be refused as well, nobody is logged in.
        var again = ana()
        again.handle(.logIn(Login(.ben, proof: "old")))
        again.handle(.logIn(Login(.ben, proof: "fresh")))
        again.answer(.failed(refusal))
        again.answer(.failed(refusal))
        #expect(again.core.person == nil)
        #expect(again.news.last == .loginRefused(.ben, refusal))
    }

    @Test func `after a restart without network it is still the new one who is shown`() {
        var shell = ana()
        shell.handle(.logIn(Login(.ben)))
        var kept = StoredInbox()
        for change in shell.saved { kept.apply(change) }
        #expect(kept == shell.core.stored)
        var again = Shell(kept)
        #expect(again.core.person == .ben)
        #expect(again.ids == [.made(2)])
        again.handle(.woken)
        #expect(again.call == .logIn(Login(.ben)))
    }

    @Test func `a login that the server changed is taken over and told`() {
        var shell = ana()
        shell.handle(.watching(true))
        shell.handle(.stream(.ready))
        shell.answer(.page(.changes([], cursor: "a1")))
        shell.answer(.page(.changes([], cursor: "a1")))
        shell.handle(.stream(.ended(reason: "logged_out", mayReturn: true)))
        #expect(shell.core.person == nil)
        #expect(shell.news.last == .loginChanged(reason: "logged_out"))
        #expect(!shell.ids.contains(.made(1)))
    }

    @Test func `a stream that ends for the device's own login tells of nothing`() {
        var shell = ana()
        shell.handle(.watching(true))
        shell.handle(.stream(.ready))
        shell.answer(.page(.changes([], cursor: "a1")))
        shell.answer(.page(.changes([], cursor: "a1")))
        shell.handle(.logIn(Login(.ben)))
        shell.handle(.stream(.ended(reason: "person_changed", mayReturn: true)))
        #expect(shell.core.person == .ben)
        shell.answer(.done)
        #expect(shell.core.person == .ben)
    }

    @Test func `a stream that was opened while a login was under way is opened anew: it ends by that login`()
    {
        var shell = ana()
        shell.handle(.logIn(Login(.ben)))
        shell.handle(.watching(true))
        #expect(shell.stream == [.openStream])
        shell.answer(.done)
        #expect(shell.stream == [.openStream, .closeStream, .openStream])
    }

    @Test func `a predicate and the filter must both accept`() {
        var options = SyncOptions()
        options.filter = .on(untargeted: false)
        options.predicate = { $0.title.contains("1") }
        var shell = Shell(options: options)
        shell.begin()
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.done)
        let mine = ["named_user_id": "ana"]
        shell.answer(
            .page(
                .whole(
                    [.made(1, extra: mine), .made(2, extra: mine), .made(11), .made(12, place: .person)],
                    cursor: "c")))
        #expect(shell.ids == [.made(12), .made(1)])
        shell.handle(.filtered(.off))
        #expect(shell.ids == [.made(12), .made(11), .made(1)])
        #expect(shell.shown.last?.rows.count == 3)
    }

    @Test func `where the server tells no places nobody sees what the one before was shown`() {
        var options = SyncOptions()
        (options.asksForChanges, options.usesStream) = (false, false)
        (options.marksByReporting, options.knowsPlaces) = (true, false)
        var shell = Shell(options: options)
        shell.begin(with: [.made(1)])
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.done)
        shell.answer(.page(.whole([.made(1), .made(2)], cursor: "c2")))
        #expect(Set(shell.ids) == [.made(1), .made(2)])
        shell.handle(.logIn(Login(.ben)))
        #expect(shell.ids == [.made(1)], "what nobody's view holds")
        shell.handle(.logIn(Login(nil)))
        #expect(shell.ids == [.made(1)])
    }
}
