import InboxClient
import InboxWire
import Platform

/// Seconds since 1970 of `2026-11-30 08:00:00`, also with `T` and with `T…Z`: what every client reads, and as UTC.
///
/// Nothing for any other form, also for those that only some clients read.
package func wireDate(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    let isPlain = bytes.count == 19 && (bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"))
    let isZoned = bytes.count == 20 && bytes[10] == UInt8(ascii: "T") && bytes[19] == UInt8(ascii: "Z")
    guard isPlain || isZoned else { return nil }
    return CalendarTime(text: text)?.instant.seconds
}

/// Seconds since 1970 of `Mon, 30 Nov 2026 08:26:23 GMT`, the one form that HTTP lets a server send.
package func httpDate(_ text: String) -> Int64? {
    // Stricter than a client has to be: no fraction, and a day of the week.
    guard text.utf8.count == 29, weekdays.contains(String(text.prefix(4))) else { return nil }
    return InboxClient.httpDate(text)?.seconds
}

private let weekdays: Set = ["Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"]
