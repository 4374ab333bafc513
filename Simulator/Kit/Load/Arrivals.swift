import Platform

/// When devices come: most before the load, the rest while it runs, so that messages to everyone fall before, while and
/// after some register.
struct Arrivals: Sendable {
    /// Those that come before.
    let early: Range<Int>
    let late: Range<Int>

    /// - Parameter share: of the late ones, of all.
    init(devices: Int, late share: Double) {
        let count = max(1, devices - Int(Double(devices) * share))
        (early, late) = (0..<count, count..<devices)
    }

    /// How far into a load a late one comes: in its first half.
    static func delay(in load: Duration, using random: inout SeededRandom) -> Duration {
        load * Double.random(in: 0..<0.5, using: &random)
    }
}
