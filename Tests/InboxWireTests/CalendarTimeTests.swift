import Foundation
import InboxWire
import Platform
import Testing

struct CalendarTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_999, "2000-02-29T00:00:00.999Z"),
            (1_935_904_089_123, "2031-05-07T07:08:09.123Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_000, "9999-12-31T23:59:59.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `an instant is written by the calendar`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).millisecondsText == text)
    }

    @Test func `the calendar is Foundation's`() throws {
        for day in stride(from: Int64(0), to: 80_000, by: 13) {
            let instant = Instant(seconds: day * 86_400 + 86_399)
            let date = Date(timeIntervalSince1970: TimeInterval(instant.seconds))
            #expect(instant.secondsText + "Z" == date.ISO8601Format())
            #expect(CalendarTime(text: instant.secondsText)?.instant == instant)
        }
    }

    @Test(
        arguments: [
            ("2031-05-06T07:08:09", 0), ("2031-05-06 07:08:09", 0), ("2031-05-06T07:08:09Z", 0),
            ("2031-05-06 07:08:09Z", 0), ("2031-05-06t07:08:09z", 0), ("2031-05-06T07:08:09.5Z", 500_000),
            ("2031-05-06T07:08:09.123456789Z", 123_456),
        ] as [(String, Int64)])
    func `times are read in these forms`(text: String, microseconds: Int64) {
        let expected = Instant(rawValue: 1_935_817_689 * 1_000_000 + microseconds)
        #expect(CalendarTime(text: text)?.instant == expected)
    }

    @Test(arguments: [
        "", "tomorrow", "2026-02-30T00:00:00Z", "2025-02-29T00:00:00", "2031-13-01T00:00:00",
        "2031-00-01T00:00:00",
        "2031-05-00T00:00:00", "2031-05-06T24:00:00", "2031-05-06T00:60:00", "2031-05-06T00:00:60",
        "2031-05-06",
        "2031-05-06T07:08", "2031-05-06T07:08:09+02:00", "2031-05-06T07:08:09.Z", "2031-05-06T07:08:09ZZ",
        "31-05-06T07:08:09", "2031-5-6T07:08:09", " 2031-05-06T07:08:09", "1969-12-31T23:59:59", "3600",
        "２０31-05-06T07:08:09", "2031-05-06T07:08:09.1234567890",
    ])
    func `anything else is no time`(text: String) {
        #expect(CalendarTime(text: text) == nil)
    }
}
