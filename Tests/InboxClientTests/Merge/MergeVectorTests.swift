import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform
import Testing

/// The merge rules, held against the library.
@Suite struct MergeVectorTests {
    @Test(arguments: MergeVector.all) func `the library shows and tells what the rules say`(
        vector: MergeVector
    ) async throws {
        var shell = Shell(start(of: vector))
        shell.now.wall = vector.now
        var pages = vector.pages[...]
        shell.handle(.woken)  // asks for what is new; what was told was told before
        for mark in vector.marks where mark.isTold {
            shell.answer(.failed(.offline))
            shell.handle(.mark(mark.mark, [mark.message]))
            shell.answer(.done)
        }
        #expect(shell.call?.isRefresh == true)
        for mark in vector.marks where !mark.isTold {
            shell.handle(.logIn(Login(mark.person)))
            shell.handle(.mark(mark.mark, [mark.message]))
        }
        shell.handle(.logIn(Login(vector.person)))
        while let page = pages.popFirst() {
            if shell.call == nil { shell.handle(.hint) }
            shell.answer(try await outcome(of: page))
        }
        let shown = shell.core.shown(at: vector.now)
        #expect(shown.rows.map(\.id) == vector.shown)
        #expect(Set(shown.rows.filter(\.isUnread).map(\.id)) == Set(vector.unread))
        #expect(shown.unreadCount == vector.unreadCount)
        #expect(toTell(shell) == vector.toTell)
        try survivesRestart(shell)
    }

    /// An inbox that is in step with the server, and that whoever makes the first mark is logged in at.
    private func start(of vector: MergeVector) -> StoredInbox {
        let person = vector.marks.first.map(\.person) ?? vector.person
        var inbox = StoredInbox()
        inbox.apply(.installation(installation))
        inbox.apply(.login(Login(person)))
        inbox.apply(.confirmed(.person(person)))
        for view in vector.held { inbox.apply(.view(view.person, view.view)) }
        return inbox
    }

    private var installation: Installation {
        var installation = Shell.installation
        installation.credential = InboxCredential(user: "user", password: "password")
        return installation
    }

    /// What becomes of a page on its way through the wire.
    private func outcome(of page: JSON) async throws -> SyncOutcome {
        let body = JSONWriter.bytes { $0.value(page) }
        let app = AppCredential(key: "key", secret: "secret")
        let base = BaseURL(host: "server", port: 80)
        let wire = MartletWire(WireEnd(app, at: base, over: OneAnswer(body: body)))
        return await wire.perform(.changes(since: "c"), as: installation).outcome
    }

    private func toTell(_ shell: Shell) -> [MergeVector.Mark] {
        shell.core.stored.outbox.stretches.flatMap { stretch in
            stretch.marks.map {
                MergeVector.Mark(
                    person: stretch.login.person, mark: $0.mark, message: $0.message, isTold: false)
            }
        }
    }

    /// All of it holds after a restart, too.
    private func survivesRestart(_ shell: Shell) throws {
        let store = try StoreRoom().store()
        try store.replace(shell.core.stored)
        let again = SyncCore(try store.load(), seed: 2)
        #expect(again.shown(at: shell.now.wall) == shell.core.shown(at: shell.now.wall))
    }

    /// Answers every request by the same body.
    private struct OneAnswer: Transport {
        let body: [UInt8]

        func send(_ request: Request, to base: BaseURL) async throws -> Response {
            Response(status: 200, headers: Headers(), body: body)
        }
    }
}
