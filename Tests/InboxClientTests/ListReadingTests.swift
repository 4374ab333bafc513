import HTTPCore
import InboxClient
import InboxModel
import Testing

/// Lists, in the form of either interface.
@Suite struct ListReadingTests {
    /// A list of one message with these members beside what every list needs.
    private func page(_ members: String, device: Bool) async -> SyncPage? {
        let id = MessageID.made(1).text
        let message =
            device
            ? """
            {"message_id":"\(id)","title":"T","unread":true,"message_sent":"2027-01-15 07:58:20",
            "message_reporting":{"n":1},"message_body_url":"http://inbox.example/b"\(members)}
            """
            : """
            {"message_id":"\(id)","title":"T","unread":true,"sent":"2027-01-15T07:58:20.123Z","inbox":"device"\(members)}
            """
        let body = "{\"messages\":[\(message)],\"cursor\":\"c\",\"unread_count\":1}"
        let server = OneAnswer(Response(status: 200, body: Array(body.utf8)))
        guard case .page(let page) = await server.outcome(of: .list(validator: nil), device: device) else {
            return nil
        }
        return page
    }

    @Test(arguments: [
        (true, ",\"icons\":{\"list_icon\":\"https://i.example/1.png\"}"),
        (false, ",\"icon\":\"https://i.example/1.png\""),
    ]) func `AMC-56: second line and picture of a row are what the sender put there`(
        device: Bool, icon: String
    ) async throws {
        let extra = ",\"extra\":{\"com.urbanairship.listing.field1\":\"Second line\",\"k\":\"v\"}"
        let row = try #require(await page(extra + icon, device: device)?.changed.first)
        #expect(InboxMessage(row).subtitle == "Second line")
        #expect(InboxMessage(row).listIcon == "https://i.example/1.png")
        let bare = try #require(await page("", device: device)?.changed.first)
        #expect(InboxMessage(bare).subtitle == nil && InboxMessage(bare).listIcon == nil)
    }

    @Test(arguments: [
        (true, ",\"icons\":{\"list_icon\":7}"), (true, ",\"icons\":null"), (true, ",\"icons\":\"x\""),
        (false, ",\"icon\":7"), (false, ",\"icon\":null"),
    ]) func `what is no text is no second line and no picture`(device: Bool, icon: String) async throws {
        let extra = ",\"extra\":{\"com.urbanairship.listing.field1\":7}"
        let row = try #require(await page(extra + icon, device: device)?.changed.first)
        #expect(InboxMessage(row).subtitle == nil && InboxMessage(row).listIcon == nil)
    }

    @Test(arguments: [true, false], ["7", "true", "[]", "{}", "\"soon\""])
    func `an expiry that is no time makes a message damaged, not one that never expires`(
        device: Bool, expiry: String
    ) async throws {
        let name = device ? "message_expiry" : "expires"
        let page = try #require(await page(",\"\(name)\":\(expiry)", device: device))
        #expect(page.changed == [] && page.damaged == 1)
    }

    @Test(arguments: [true, false], [false, true]) func `without an expiry a message stays`(
        device: Bool, isNull: Bool
    ) async throws {
        let name = device ? "message_expiry" : "expires"
        let page = try #require(await page(isNull ? ",\"\(name)\":null" : "", device: device))
        #expect(page.changed.map(\.content.expires) == [nil])
    }
}
