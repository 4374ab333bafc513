import Foundation
import InboxModel
import InboxService
import Platform
import Testing

@Suite struct ScheduleTests {
    private static let message = MessageID(high: 1, low: 2)

    private static func push(draft: Draft?, json: String?) -> ScheduledPush {
        ScheduledPush(
            message: message, draft: draft, audience: .everyone, deviceTypes: DeviceTypes(.ios), json: json)
    }

    @Test func `what is scheduled is stored in one form and read from it`() throws {
        let pushes = [
            Self.push(draft: Draft(title: "T", body: [1]), json: nil),
            Self.push(draft: nil, json: #"{"a":"/"}"#),
        ]
        let text =
            #"[{"audience":{"everyone":true},"device_types":1,"draft":{"body":"AQ==","content_type":"text/html","#
            + #""expiry":{"longest":true},"extra":{},"title":"T"},"message":"AAAAAAAAAAEAAAAAAAAAAg"},"#
            + #"{"audience":{"everyone":true},"device_types":1,"json":"{\"a\":\"/\"}","message":"AAAAAAAAAAEAAAAAAAAAAg"}]"#
        #expect(try StoredForm.text(pushes) == text)
        #expect(try StoredForm.value([ScheduledPush].self, of: text) == pushes)
    }

    @Test func `a push without a message is not sent, and each that is has the push it came from`() {
        let schedule = Schedule(
            id: ScheduleID(UUID()), due: Instant(seconds: 1), name: nil, pushJSON: "all",
            pushes: [
                Self.push(draft: Draft(title: "1", body: []), json: nil), Self.push(draft: nil, json: nil),
                Self.push(draft: Draft(title: "2", body: []), json: "own"),
            ], created: Instant(seconds: 0))
        #expect(schedule.sends.map(\.draft.title) == ["1", "2"])
        #expect(schedule.sends.map(\.pushJSON) == ["all", "own"])
    }

    @Test func `a position is a text that only it has`() throws {
        let id = ScheduleID(UUID())
        let schedule = Schedule(
            id: id, due: Instant(seconds: 1), name: nil, pushJSON: "", pushes: [],
            created: Instant(rawValue: 1_900_000_000_000_001))
        let position = SchedulePosition(schedule)
        #expect(position.text == "1900000000000001.\(id.text)")
        #expect(SchedulePosition(text: position.text) == position)
        for text in ["", ".", "1", "1.x", "x.\(id.text)", "1.\(id.text).2", id.text] {
            #expect(SchedulePosition(text: text) == nil, "\(text)")
        }
    }
}
