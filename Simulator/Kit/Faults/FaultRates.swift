package import Platform

/// How often each kind of fault happens, and how long the lasting ones last at most.
///
/// A chance is a whole number of times out of 1,000: of a refusal for each connection, of a freeze for each event
/// stream, of all others for each request.
package struct FaultRates: Hashable, Sendable {
    /// By `FaultKind.index`.
    private var times = [Int](repeating: 0, count: FaultKind.allCases.count)
    /// How long a request is held, and how long its answer.
    package var longestDelay = Duration.milliseconds(200)
    /// How long an upload stops; until an open stream is cut or freezes.
    package var longestStall = Duration.seconds(3)
    /// How long new connections are refused.
    package var longestRefusal = Duration.seconds(1)

    /// What all chances are counted of.
    package static let outOf = 1_000

    /// No faults.
    package static let none = FaultRates()

    package init() {}

    /// Only these faults, each so many times out of 1,000.
    package init(_ times: [FaultKind: Int]) {
        for kind in FaultKind.allCases { self[kind] = times[kind] ?? 0 }
    }

    /// How many times out of 1,000 it happens; from 0 to 1,000.
    package subscript(kind: FaultKind) -> Int {
        get { times[kind.index] }
        set {
            precondition((0...FaultRates.outOf).contains(newValue), "a chance is out of 1,000")
            times[kind.index] = newValue
        }
    }

    /// Rates of one scenario of many: each kind is off in half of all, and at times one is extreme.
    package static func swarm(using random: inout SeededRandom) -> FaultRates {
        var rates = FaultRates()
        for kind in FaultKind.allCases {
            let isOn = random.chance(1, outOf: 2)
            let usual = Int.random(in: 1...usualMost(kind), using: &random)
            if isOn { rates[kind] = usual }
        }
        let isExtreme = random.chance(1, outOf: 4)
        let extreme = FaultKind.allCases[Int.random(in: FaultKind.allCases.indices, using: &random)]
        if isExtreme, rates[extreme] > 0 { rates[extreme] = min(outOf, rates[extreme] * 10) }
        rates.longestDelay = .milliseconds(Int.random(in: 20...500, using: &random))
        rates.longestStall = .milliseconds(Int.random(in: 200...4_000, using: &random))
        rates.longestRefusal = .milliseconds(Int.random(in: 100...1_500, using: &random))
        return rates
    }

    /// The most of a kind that a run bears for long; what costs a client its whole time limit is rarer.
    private static func usualMost(_ kind: FaultKind) -> Int {
        switch kind {
        case .delay: 100
        case .loss, .refusal: 5
        case .freeze: 100
        case .truncation, .resetBefore, .resetUnanswered, .resetWithin, .repetition, .stall: 30
        }
    }
}

extension FaultRates: CustomStringConvertible {
    package var description: String {
        let on = FaultKind.allCases.filter { self[$0] > 0 }
        if on.isEmpty { return "no faults" }
        return on.map { "\($0.words) \(self[$0])" }.joined(separator: ", ") + " of 1,000"
    }
}
