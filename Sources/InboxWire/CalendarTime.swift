package import Platform

/// A date and time of day in UTC, by the Gregorian calendar.
///
/// By arithmetic and not by Foundation's formatters, which cost microseconds a date on paths that write thousands.
package struct CalendarTime: Hashable, Sendable {
    package var year: Int64
    package var month: Int64
    package var day: Int64
    package var hour: Int64
    package var minute: Int64
    package var second: Int64
    package var microsecond: Int64

    /// The calendar's reading of an instant.
    package init(_ instant: Instant) {
        let seconds = instant.seconds
        let (days, time) = CalendarTime.divided(seconds, by: 86_400)
        // Howard Hinnant's civil_from_days: years begin in March, so that the leap day is a year's last.
        let (era, dayOfEra) = CalendarTime.divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
        microsecond = instant.rawValue - seconds * 1_000_000
    }

    /// Reads `YYYY-MM-DD`, `T` or a space, `HH:MM:SS`, up to nine digits of a fraction, and `Z` or nothing.
    ///
    /// Nothing if it is another form, a day that does not exist, or before 1970.
    package init?(text: String) {
        var digits = DigitReader(bytes: Array(text.utf8))
        guard let year = digits.number(4, then: "-"), let month = digits.number(2, then: "-"),
            let day = digits.number(2, then: "Tt "), let hour = digits.number(2, then: ":"),
            let minute = digits.number(2, then: ":"), let second = digits.number(2, then: nil),
            let microsecond = digits.fraction(), digits.endsWithZone()
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second, self.microsecond) = (hour, minute, second, microsecond)
        guard year >= 1970, (1...12).contains(month),
            (1...CalendarTime.days(of: month, in: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
    }

    /// The instant of this reading.
    package var instant: Instant {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = CalendarTime.divided(shiftedYear, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Instant(
            rawValue: (days * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000 + microsecond)
    }

    /// Appends `2031-05-06T07:08:09`, without a zone.
    package func appendSeconds(to bytes: inout [UInt8]) {
        CalendarTime.append(year, 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        CalendarTime.append(month, 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        CalendarTime.append(day, 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        CalendarTime.append(hour, 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        CalendarTime.append(minute, 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        CalendarTime.append(second, 2, to: &bytes)
    }

    /// Appends `2031-05-06T07:08:09.123Z`, rounded down.
    package func appendMilliseconds(to bytes: inout [UInt8]) {
        appendSeconds(to: &bytes)
        bytes.append(UInt8(ascii: "."))
        CalendarTime.append(microsecond / 1000, 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    private static func append(_ number: Int64, _ width: Int, to bytes: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    private static func days(of month: Int64, in year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        switch month {
        case 2: return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Division that rounds down, and what is left.
    private static func divided(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
        let rest = number % divisor
        return rest < 0 ? (number / divisor - 1, rest + divisor) : (number / divisor, rest)
    }
}

extension Instant {
    /// `2031-05-06T07:08:09`: the one form in which published clients read times of the server API.
    package var secondsText: String {
        var bytes: [UInt8] = []
        CalendarTime(self).appendSeconds(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `2031-05-06T07:08:09.123Z`.
    package var millisecondsText: String {
        var bytes: [UInt8] = []
        CalendarTime(self).appendMilliseconds(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A cursor over the digits of a time.
private struct DigitReader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// A number of exactly `width` digits, and one of the `marks` behind it.
    mutating func number(_ width: Int, then marks: String?) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit else { return nil }
            value = value * 10 + digit
            position += 1
        }
        guard let marks else { return value }
        guard position < bytes.count, marks.utf8.contains(bytes[position]) else {
            return nil
        }
        position += 1
        return value
    }

    /// Microseconds of a fraction, zero without one; nothing for a point without digits.
    mutating func fraction() -> Int64? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: ".") else { return 0 }
        position += 1
        var (value, count): (Int64, Int) = (0, 0)
        while let digit, count < 9 {
            if count < 6 { value = value * 10 + digit }
            (count, position) = (count + 1, position + 1)
        }
        guard count > 0 else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// Whether nothing follows, or `Z` alone.
    func endsWithZone() -> Bool {
        let rest = bytes[position...]
        return rest.isEmpty || rest.elementsEqual("Z".utf8) || rest.elementsEqual("z".utf8)
    }

    private var digit: Int64? {
        guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else {
            return nil
        }
        return Int64(bytes[position] - UInt8(ascii: "0"))
    }
}
