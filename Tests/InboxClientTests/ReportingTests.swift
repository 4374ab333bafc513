import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

/// Marks over the device interface, which knows a message by what it was listed with.
@Suite struct ReportingTests {
    private static let reporting = Array("{\"a\":1}".utf8)
    private static let row = {
        let row = MessageRow.made(1)
        let details = MessageContent.DeviceDetails(reporting: reporting, bodyURL: "http://inbox.example/b")
        return MessageRow(
            MessageContent(
                row.id, words: row.content.words, sent: row.content.sent, expires: nil, device: details),
            isUnread: true, place: .device)
    }()
    private static let target = MarkTarget(.made(1), reporting: reporting)

    private func shell(_ stored: StoredInbox = StoredInbox()) -> Shell {
        var options = SyncOptions()
        (options.asksForChanges, options.usesStream, options.marksByReporting) = (false, false, true)
        return Shell(stored, options: options)
    }

    @Test func `a mark is told though the inbox was switched off meanwhile and forgot its messages`() {
        var shell = shell()
        shell.begin(with: [Self.row])
        shell.handle(.refresh(RefreshID(1)))
        shell.answer(.failed(.offline))
        shell.handle(.mark(.delete, [.made(1)]))
        shell.answer(.failed(.offline))
        shell.handle(.enabled(false))
        shell.handle(.enabled(true))
        shell.handle(.reachable)
        #expect(shell.call == .mark(.delete, [Self.target]))
    }

    @Test func `a mark is told though the login was refused under which it was made`() {
        var shell = shell()
        shell.begin()
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.done)
        shell.answer(.page(.whole([Self.row], cursor: "a1")))
        shell.handle(.logIn(Login(.ben)))
        shell.handle(.mark(.read, [.made(1)]))
        shell.handle(.logIn(Login(nil)))
        shell.answer(.failed(SyncProblem(.refused(status: 403), "no")))
        #expect(shell.call == .mark(.read, [Self.target]))
    }

    /// Marks of messages that were kept without what they are known by, as an earlier version did.
    private func inboxOfMarks(_ messages: Int...) -> StoredInbox {
        var inbox = StoredInbox()
        inbox.apply(.installation(Shell.installation))
        inbox.apply(.credential(InboxCredential(user: "user", password: "password")))
        inbox.apply(.confirmed(.person(nil)))
        for message in messages {
            inbox.apply(.mark(PendingMark(Int64(message), .made(message), .read), replaces: []))
        }
        return inbox
    }

    @Test func `what cannot be told yet is asked for first, then told; what is not there is given up aloud`()
    {
        var shell = shell(inboxOfMarks(1, 2))
        shell.handle(.woken)
        #expect(shell.answer(.failed(.offline)) == .list(validator: nil))
        #expect(shell.core.stored.outbox.count == 2)
        shell.handle(.reachable)
        #expect(
            shell.answer(.page(.whole([Self.row], cursor: "")))
                == .list(validator: nil))
        guard case .marksRefused([.made(2)], _) = shell.news.last else {
            return #expect(Bool(false), "must be told")
        }
        #expect(shell.answer(.done) == .mark(.read, [Self.target]))
        #expect(shell.core.stored.outbox.count == 0)
    }

    @Test(arguments: [
        (MessageMark.read, [target, MarkTarget(.made(2))]), (.delete, [MarkTarget(.made(2))]),
        (.unread, [target]),
    ]) func `what cannot be told is refused, never done`(mark: MessageMark, targets: [MarkTarget]) async {
        var installation = Shell.installation
        installation.credential = InboxCredential(user: "user", password: "password")
        let end = WireEnd(
            AppCredential(key: "k", secret: "s"), at: BaseURL(host: "inbox.example", port: 80),
            over: NoServer())
        let outcome = await DeviceWire(end).perform(.mark(mark, targets), as: installation).outcome
        guard case .failed(let problem) = outcome else { return #expect(Bool(false), "must be refused") }
        #expect(problem.kind == .refused(status: 400))
    }

    @Test(arguments: [
        ("{\"ok\":true}", true), ("", true), ("<h1>Welcome to our hotel</h1>", false),
    ]) func `a page of somebody between is not taken for the server's word`(body: String, isDone: Bool) async
    {
        let server = OneAnswer(Response(status: 200, body: Array(body.utf8)))
        for call in [SyncCall.mark(.read, [Self.target]), .logIn(Login(.ana))] {
            #expect(await (server.outcome(of: call, device: true) == .done) == isDone)
        }
    }

    private struct NoServer: Transport {
        func send(_ request: Request, to base: BaseURL) async throws -> Response { throw StoreError.closed }
    }
}
