import Platform
import SimulatorKit

/// What happens to one request and its answer.
struct Fate: Equatable {
    /// The one harm that is done, if any.
    var harm: FaultKind?
    /// How long the request is held.
    var requestDelay = Duration.zero
    /// How long the answer is held.
    var answerDelay = Duration.zero
    /// Whether the answer, if it is an event stream, carries nothing any more after `lasting`.
    var freezes = false
    /// Where a request or answer is parted, out of 1,000.
    var part = 500
    /// How long an upload stops; until an open stream is cut or freezes.
    var lasting = Duration.zero

    /// Nothing happens.
    static let none = Fate()

    private init() {}

    /// Draws a fate; always as many numbers, so that other rates do not change what is drawn later.
    init(_ rates: FaultRates, _ dice: inout SeededRandom) {
        for kind in Fate.harms {
            let happens = dice.chance(rates[kind], outOf: FaultRates.outOf)
            if happens, harm == nil { harm = kind }
        }
        let isDelayed = dice.chance(rates[.delay], outOf: FaultRates.outOf)
        freezes = dice.chance(rates[.freeze], outOf: FaultRates.outOf)
        part = Int.random(in: 0..<1_000, using: &dice)
        lasting = Fate.upTo(rates.longestStall, &dice)
        let delays = (Fate.upTo(rates.longestDelay, &dice), Fate.upTo(rates.longestDelay, &dice))
        if isDelayed { (requestDelay, answerDelay) = delays }
    }

    /// Kinds of which a request gets one at most; the first that happens counts.
    private static let harms: [FaultKind] = [
        .loss, .truncation, .resetBefore, .resetUnanswered, .resetWithin, .repetition, .stall,
    ]

    /// At least a millisecond, at most the bound.
    static func upTo(_ longest: Duration, _ dice: inout SeededRandom) -> Duration {
        .milliseconds(Int64.random(in: 1...max(1, longest.milliseconds), using: &dice))
    }

    /// How many bytes of so many come before the cut: at least one, and not all if that can be.
    func cut(_ count: Int) -> Int { max(1, min(count - 1, count * part / 1_000)) }
}
