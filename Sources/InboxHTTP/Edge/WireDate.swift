import InboxWire
import Platform

extension Instant {
    /// `2026-11-30 08:00:00`, UTC: the one form that every version of the published apps reads right.
    var spacedText: String {
        var bytes: [UInt8] = []
        appendSpaced(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `spacedText`.
    func appendSpaced(to bytes: inout [UInt8]) {
        CalendarTime(self).appendSeconds(to: &bytes)
        bytes[bytes.count - "T08:00:00".utf8.count] = UInt8(ascii: " ")
    }
}

/// The form of `Last-Modified`: `Mon, 30 Nov 2026 08:26:23 GMT`.
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a time that is not before 1970.
    ///
    /// - Parameter seconds: since 1970.
    static func text(_ seconds: Int64) -> String {
        let time = CalendarTime(Instant(seconds: seconds))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes += weekdays[Int(seconds / 86_400 % 7)].utf8
        bytes += ", ".utf8
        append(time.day, to: &bytes)
        bytes.append(UInt8(ascii: " "))
        bytes += months[Int(time.month) - 1].utf8
        bytes.append(UInt8(ascii: " "))
        append(time.year / 100, to: &bytes)
        append(time.year % 100, to: &bytes)
        for (mark, number) in [(" ", time.hour), (":", time.minute), (":", time.second)] {
            bytes += mark.utf8
            append(number, to: &bytes)
        }
        bytes += " GMT".utf8
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Seconds since 1970; the day's name counts for nothing, and the zone may also be written `UTC` or `+0000`.
    static func parse(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[1].utf8.count == 2, words[3].utf8.count == 4,
            let month = months.firstIndex(of: String(words[2])),
            ["GMT", "UTC", "+0000"].contains(words[5])
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return CalendarTime(text: "\(words[3])-\(number)-\(words[1]) \(words[4])")?.instant.seconds
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
