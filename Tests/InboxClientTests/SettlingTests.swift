import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

/// What the simulator found: moments between two answers.
struct SettlingTests {
    @Test(arguments: [MessageMark.read, .delete])
    func `a mark that was told shows on until the newest is there, also after a restart`(mark: MessageMark) {
        var shell = Shell()
        shell.begin(with: [.made(1), .made(2)])
        shell.handle(.mark(mark, [.made(1)]))
        shell.answer(.done)
        shell.answer(.failed(.offline))
        #expect(shell.unread == [.made(2)])
        #expect(shell.core.stored.outbox.count == 0)
        var kept = StoredInbox()
        for change in shell.saved { kept.apply(change) }
        #expect(Shell(kept).unread == [.made(2)])
    }

    @Test func `what one did to another's own message changes nothing of the other's view`() {
        var shell = Shell()
        shell.begin()
        for (person, cursor) in [(NamedUserID.ben, "b1"), (.ana, "a1")] {
            shell.handle(.logIn(Login(person)))
            shell.answer(.done)
            shell.answer(.page(.whole([.made(1, place: .person), .made(2)], cursor: cursor)))
        }
        shell.handle(.mark(.read, [.made(1), .made(2)]))
        shell.answer(.done)
        shell.answer(.failed(.offline))
        shell.handle(.logIn(Login(.ben)))
        #expect(shell.unread == [.made(1)])
        // Whether message 2 was marked for ben as well, the server alone knows.
        shell.handle(.reachable)
        shell.answer(.done)
        #expect(shell.call == .list(validator: nil))
    }

    @Test func `what comes after the inbox was switched off is not kept`() {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.refresh(RefreshID(1)))
        shell.handle(.enabled(false))
        shell.answer(.page(.whole([.made(1), .made(2)], cursor: "c2")))
        #expect(shell.core.stored.views == [])
        shell.handle(.enabled(true))
        #expect(shell.call == .list(validator: nil))
    }

    @Test func `a new installation that is void before anything worked is replaced too, after a while`() {
        var shell = Shell()
        shell.begin()
        shell.handle(.refresh(RefreshID(1)))
        let void = SyncProblem(.unauthorized, "401")
        shell.answer(.failed(void))
        shell.answer(.registered(InboxCredential(user: "u2", password: "p2")))
        for _ in 0..<12 where shell.call?.isRefresh == true {
            shell.answer(.failed(void))
            shell.pass(.seconds(300))
        }
        #expect(shell.call == .register(Shell.installation))
    }

    @Test func `woken too early, it asks to be woken again`() {
        var shell = Shell()
        shell.begin()
        shell.handle(.refresh(RefreshID(1)))
        shell.answer(.failed(.offline))
        let due = shell.wake
        shell.wake = nil
        shell.handle(.woken)
        #expect(shell.wake == due)
    }
}

struct MartletWireTests {
    private let wire = MartletWire(
        WireEnd(
            AppCredential(key: "k", secret: "s"), at: BaseURL(host: "server.test", port: 80),
            over: NoTransport()))

    private struct NoTransport: Transport {
        func send(_ request: Request, to base: BaseURL) async throws -> Response {
            throw SyncProblem.offline
        }
    }

    @Test(arguments: [
        ("{\"unread_count\":0,\"cursor\":\"c\"}", true), ("<h1>Welcome to our hotel", false), ("", false),
        ("{\"unread_count\":0,\"cur", false),
    ])
    func `a mark and a login are done when the server itself says so`(body: String, isDone: Bool) {
        let response = Response(status: 200, body: Array(body.utf8))
        for call in [SyncCall.mark(.read, [MarkTarget(.made(1))]), .logIn(Login(.ana))] {
            #expect((wire.outcome(of: call, response) == .done) == isDone)
        }
    }
}
