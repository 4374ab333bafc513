/// A place in the order of everything that the simulator started or heard.
package struct Stamp: Hashable, Sendable, Comparable {
    private let rawValue: UInt32

    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Behind every place.
    package static let never = Stamp(UInt32.max)

    package static func < (one: Stamp, other: Stamp) -> Bool { one.rawValue < other.rawValue }
}

/// A stamp and when it was, in milliseconds of the run.
package struct Moment: Hashable, Sendable {
    package let stamp: Stamp
    package let milliseconds: Int64
    /// How far the server's clock was set forward then.
    let clock: ServerClock

    package init(stamp: Stamp, milliseconds: Int64) {
        self.init(stamp: stamp, milliseconds: milliseconds, clock: ServerClock())
    }

    init(stamp: Stamp, milliseconds: Int64, clock: ServerClock) {
        self.stamp = stamp
        self.milliseconds = milliseconds
        self.clock = clock
    }
}

/// From the start of a request to its answer: what the server did for it, it did in between.
package struct Span: Hashable, Sendable {
    package let start: Moment
    package let end: Moment

    package init(start: Moment, end: Moment) {
        self.start = start
        self.end = end
    }
}

/// What is known about when something that never ends began: possible from one stamp on, certain from another.
///
/// A write that was started is possible; answered, it is certain; a lost answer leaves it possible for good.
package struct Fact: Hashable, Sendable {
    private(set) var possible = Stamp.never
    private(set) var certain = Stamp.never

    package init() {}

    /// The write behind it has been started.
    package mutating func begin(at stamp: Stamp) { possible = min(possible, stamp) }

    /// The write behind it has been answered, or its effect was seen.
    package mutating func settle(at stamp: Stamp) {
        begin(at: stamp)
        certain = min(certain, stamp)
    }

    /// Whether the write behind it was ever started.
    package var isPossible: Bool { possible < .never }

    /// Whether its write was answered or its effect seen.
    package var isCertain: Bool { certain < .never }

    /// Whether an answer that came at `end` may show it.
    package func mayHold(by end: Stamp) -> Bool { possible <= end }

    /// Whether an answer to what was started at `start` must show it.
    package func mustHold(from start: Stamp) -> Bool { certain <= start }

    /// The same without its certainty.
    package var doubted: Fact {
        var fact = Fact()
        fact.begin(at: possible)
        return fact
    }

    /// One or the other.
    package func or(_ other: Fact) -> Fact {
        var fact = Fact()
        fact.possible = min(possible, other.possible)
        fact.certain = min(certain, other.certain)
        return fact
    }
}
