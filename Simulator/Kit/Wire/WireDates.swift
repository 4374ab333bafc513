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
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, weekdays.contains(String(parts[0])), parts[5] == "GMT", parts[1].utf8.count == 2,
        let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return wireDate("\(parts[3])-\(number)-\(parts[1]) \(parts[4])")
}

private let weekdays: Set = ["Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
