import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

/// Messages of one second, over the device interface, which tells no more of their times.
@Suite struct ListOrderTests {
    /// What a wire makes of a list of these messages, all of one second, and of a later one that stands first.
    private func page(_ numbers: Int...) async throws -> SyncPage {
        let messages = ([9] + numbers).map { number in
            """
            {"message_id":"\(MessageID.made(number).text)","title":"\(number)","unread":true,
            "message_sent":"2027-01-15 07:58:2\(number == 9 ? 1 : 0)","message_reporting":{"n":\(number)},
            "message_body_url":"http://inbox.example/b"}
            """
        }
        let list = OneAnswer(
            Response(status: 200, body: Array("{\"messages\":[\(messages.joined(separator: ","))]}".utf8)))
        guard case .page(let page) = await list.outcome(of: .list(validator: nil), device: true) else {
            throw StoreError.closed
        }
        return page
    }

    private func shell() -> Shell {
        var options = SyncOptions()
        (options.asksForChanges, options.usesStream, options.marksByReporting) = (false, false, true)
        return Shell(options: options)
    }

    @Test func `messages of one second stand as they were listed, also after a restart`() async throws {
        var shell = shell()
        shell.begin()
        shell.handle(.hint)
        shell.answer(.page(try await page(2, 1, 3)))
        #expect(shell.ids == [.made(9), .made(2), .made(1), .made(3)])
        let store = try StoreRoom().store()
        try store.save(shell.saved)
        #expect(try store.load() == shell.core.stored)
        shell.handle(.hint)
        shell.answer(.page(try await page(3, 2, 1)))
        #expect(shell.ids == [.made(9), .made(3), .made(2), .made(1)])
    }

    @Test func `a message that goes from among them is no news of the others`() async throws {
        var shell = shell()
        shell.begin()
        shell.handle(.hint)
        shell.answer(.page(try await page(2, 1, 3)))
        shell.handle(.mark(.delete, [.made(1)]))
        let shown = shell.shown.count
        shell.answer(.done)
        shell.answer(.page(try await page(2, 3)))
        #expect(shell.ids == [.made(9), .made(2), .made(3)])
        #expect(shell.shown.count == shown)
    }
}
