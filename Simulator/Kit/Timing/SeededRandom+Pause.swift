import Platform

extension SeededRandom {
    /// A pause of this mean, drawn so that events are independent of each other.
    mutating func pause(mean: Duration) -> Duration {
        var unit = 0.0
        // The sum of few uniform draws replaces a logarithm, and never draws a pause that is absurdly long.
        for _ in 0..<2 { unit += Double.random(in: 0..<1, using: &self) }
        return mean * unit
    }

    /// How long to wait after so many vain attempts.
    mutating func backOff(after attempts: Int) -> Duration {
        let ceiling = min(2000, 100 << min(attempts, 5))
        return .milliseconds(Int.random(in: ceiling / 2...ceiling, using: &self))
    }

    /// Whether what happens with this probability happens; what never does takes no draw.
    mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &self) < probability
    }
}
