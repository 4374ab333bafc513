import ClientCore
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

struct HostileServerTests {
    private func ana() -> Shell {
        var shell = Shell()
        shell.begin()
        shell.handle(.logIn(Login(.ana)))
        shell.answer(.done)
        shell.answer(.page(.whole([.made(1, place: .person)], cursor: "a1")))
        shell.handle(.watching(true))
        shell.handle(.stream(.ready))
        return shell
    }

    @Test func `a page that was asked for as somebody who was logged out meanwhile is shown to nobody`() {
        var shell = ana()
        #expect(shell.call == .changes(since: "a1"))
        shell.handle(.stream(.ended(reason: "logged_out", mayReturn: true)))
        #expect(shell.core.person == nil)
        shell.answer(.page(.changes([.made(2, place: .person)], cursor: "a2")))
        #expect(shell.ids.isEmpty)
        #expect(shell.shown.last?.rows.isEmpty != false)
    }

    @Test func `a stream that is refused again and again while calls succeed is opened after pauses`() {
        var shell = Shell()
        shell.begin()
        shell.handle(.watching(true))
        for _ in 0..<50 {
            if shell.stream.last == .openStream {
                shell.handle(.stream(.ended(reason: "credentials", mayReturn: false)))
            }
            if shell.call != nil { shell.answer(.page(.changes([], cursor: "c1"))) }
        }
        #expect(shell.stream.count < 5)
    }

    @Test(arguments: [true, false])
    func `pages without an end are asked for with pauses, and not kept without a bound`(_ isSame: Bool) {
        var shell = Shell()
        shell.begin()
        shell.handle(.refresh(RefreshID(1)))
        var asked = 0
        while shell.call != nil, asked < 5_000 {
            asked += 1
            let cursor = isSame ? "c1" : "d\(asked)"
            shell.answer(.page(.changes([.made(1)], removed: [asked], cursor: cursor, hasMore: true)))
        }
        #expect(asked < 5_000)
    }

    @Test func `a message that a list holds twice with two times is shown once`() {
        var shell = Shell()
        let one = MessageRow.made(1)
        let older = MessageRow(
            MessageContent(
                .made(1), words: MessageContent.Words(), sent: Instant(seconds: 1_000_000_000), expires: nil),
            isUnread: true, place: .device)
        shell.begin(with: [one, older])
        #expect(shell.ids == [.made(1)])
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "99999999999"])
    func `an absurd time to come back is waited for no longer than an hour`(_ text: String) {
        var shell = Shell()
        shell.begin()
        shell.handle(.refresh(RefreshID(1)))
        shell.now.uptime = .seconds(1_000)
        shell.answer(.failed(SyncProblem(Response(status: 503, headers: ["Retry-After": text]))))
        #expect((shell.wake ?? .zero) <= .seconds(1_000 + 3_600))
    }

    @Test func `the clock of a page between is not taken for the server's`() {
        var shell = Shell()
        let soon = Instant(seconds: 1_800_000_000 + 60)
        shell.begin(with: [.made(1, expires: soon)])
        shell.handle(.refresh(RefreshID(1)))
        shell.answer(
            .failed(SyncProblem(.unreadable, "a hotel")), serverTime: Instant(seconds: 1_900_000_000))
        #expect(shell.ids == [.made(1)])
    }

    @Test func `a stream that never says that it is ready is given up`() {
        var shell = Shell()
        shell.begin()
        shell.handle(.watching(true))
        shell.pass(.seconds(200))
        #expect(shell.stream.count > 1)
    }
}

struct HostileAnswerTests {
    private func problem(_ call: SyncCall, _ status: Int, _ body: String, device: Bool = false) async
        -> String
    {
        let server = OneAnswer(Response(status: status, body: Array(body.utf8)))
        switch await server.outcome(of: call, device: device) {
        case .failed(let problem): return problem.text
        default: return ""
        }
    }

    @Test func `an answer that repeats the request puts no secret into a text`() async {
        let secret = Shell.installation.secret
        let echo = "{\"password\":\"\(secret)\",\"device_type\":\"ios\"}"
        #expect(await !problem(.register(Shell.installation), 200, echo).contains(secret))
        #expect(await !problem(.register(Shell.installation), 500, echo).contains(secret))
        let login = SyncCall.logIn(Login(.ana, proof: "proof-of-ana"))
        let named = "{\"named_user_id\":\"ana\",\"proof\":\"proof-of-ana\"}"
        #expect(await !problem(login, 200, named).contains("proof-of-ana"))
        let detail = "{\"detail\":\"\(OneAnswer.installation.credential!.authorization)\"}"
        #expect(await !problem(.list(validator: nil), 400, detail).contains("Basic dX"))
    }

    @Test func `a credential in an answer that cannot be used is not told`() async {
        let made =
            "{\"channel_id\":\"\(Shell.installation.channel.text)\",\"user_id\":7,\"password\":\"minted-secret\"}"
        let text = await problem(.register(Shell.installation), 201, made, device: true)
        #expect(!text.contains("minted-secret"), "\(text)")
    }

    @Test func `a text of a server is told up to a bound`() async {
        let long = "{\"detail\":\"\(String(repeating: "x", count: 100_000))\"}"
        #expect(await problem(.list(validator: nil), 400, long).utf8.count < 1_000)
    }

    @Test(arguments: ["a&limit=1", "a#b", "a b", "a\nb", "a%41", "é", "\u{0}"])
    func `a cursor stands in the address as it came`(_ cursor: String) async throws {
        let transport = OneAnswer(Response(status: 500))
        let wire = MartletWire(WireEnd(OneAnswer.app, at: OneAnswer.base, over: transport))
        _ = await wire.perform(.changes(since: cursor), as: OneAnswer.installation)
        let target = try #require(transport.asked.withLock { $0.first?.target })
        let prefix = "/v1/inbox/changes?since="
        let value = target.dropFirst(prefix.count).prefix { $0 != "&" }
        #expect(String(value).removingPercentEncoding == cursor, "\(target)")
        #expect(target.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }, "\(target)")
    }

    @Test func `an address with a password is not repeated`() {
        var configuration = InboxConfiguration(
            server: URL(string: "https://ana:hunter2@inbox.example")!, appKey: "", appSecret: "",
            folder: URL(filePath: "/tmp"))
        configuration.tags = []
        #expect(!configuration.problems.joined().contains("hunter2"))
    }
}
