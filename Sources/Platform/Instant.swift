/// A point in time, in microseconds since 1970 (UTC): what the database counts in.
package struct Instant: Hashable, Sendable, RawRepresentable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// An instant in whole milliseconds since 1970.
    package init(milliseconds: Int64) { rawValue = milliseconds * 1000 }

    /// An instant in whole seconds since 1970.
    package init(seconds: Int64) { rawValue = seconds * 1_000_000 }

    /// Milliseconds since 1970, rounded down.
    package var milliseconds: Int64 { floored(by: 1000) }

    /// Seconds since 1970, rounded down.
    package var seconds: Int64 { floored(by: 1_000_000) }

    /// The instant so many seconds later.
    package func adding(seconds: Int64) -> Instant { Instant(rawValue: rawValue + seconds * 1_000_000) }

    package static func < (one: Instant, other: Instant) -> Bool { one.rawValue < other.rawValue }

    private func floored(by unit: Int64) -> Int64 {
        rawValue >= 0 ? rawValue / unit : (rawValue + 1) / unit - 1
    }
}
