/// Readers of options' values.
enum Values {
    /// Reads a whole number in a range.
    static func wholeNumber<Number: FixedWidthInteger & Sendable>(
        _ range: ClosedRange<Number>
    ) -> @Sendable (String) throws(Unreadable) -> Number {
        { text throws(Unreadable) in
            guard let number = Number(text), range.contains(number) else {
                throw Unreadable("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// Reads one of a few words.
    static func choice<Choice: Sendable>(
        _ choices: KeyValuePairs<String, Choice>
    ) -> @Sendable (String) throws(Unreadable) -> Choice {
        { text throws(Unreadable) in
            guard let choice = choices.first(where: { $0.key == text }) else {
                throw Unreadable("must be \(choices.map(\.key).joined(separator: " or "))")
            }
            return choice.value
        }
    }

    /// Reads `30s`, `15m`, `24h` or `7d`.
    static func duration(_ text: String) throws(Unreadable) -> Duration {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...maximumCount).contains(count)
        else { throw Unreadable("must be a number with a unit, such as 30s, 15m, 24h or 7d") }
        return .seconds(count * unit)
    }

    /// Keeps a duration far from overflow.
    private static let maximumCount: Int64 = 1_000_000
}
