import Platform

/// What can go wrong between a simulated device and its server.
package enum NetworkFault: String, Sendable, CaseIterable {
    /// The server never sees the request.
    case requestLost = "requests lost"
    /// The server has acted, and the device does not hear of it.
    case answerLost = "answers lost"
    /// The answer comes when the device has given up and gone on.
    case answerLate = "answers late"
    /// Somebody between sends the request again; the first answer arrives.
    case repeated
    /// Likewise, but the second answer arrives.
    case repeatedForSecond = "repeated, with the second answer"
    case truncated = "answers cut"
    /// A page of somebody else with status 200, and the server saw nothing.
    case strangersPage = "strangers' pages"
    /// 503, with a time to come back at.
    case unavailable
    /// 500, before the server has acted.
    case brokenBefore = "500 before"
    /// 500, after it has.
    case brokenAfter = "500 after"
    /// Connections are refused for a while.
    case outage = "outages"
    case streamRefused = "streams refused"
    case streamLost = "streams lost"
    /// A stream goes dead, and nobody is told.
    case streamSilent = "silent streams"
    case hintLost = "hints lost"
    case hintLate = "hints late"
    case hintTwice = "hints twice"
}

/// How often each fault happens, of 1,000 times.
package struct NetworkRates: Hashable, Sendable {
    private var rates: [Int]

    /// Nothing ever goes wrong.
    package static let none = NetworkRates(rates: NetworkFault.allCases.map { _ in 0 })

    /// Drawn for one world: each kind is off in half of all worlds, and now and then extreme.
    static func swarm(_ random: inout SeededRandom) -> NetworkRates {
        let usual = [5, 20, 50, 100, 200]
        return NetworkRates(
            rates: NetworkFault.allCases.map { _ in
                guard random.chance(1, outOf: 2) else { return 0 }
                return random.chance(1, outOf: 12) ? 700 : random.element(of: usual) ?? 0
            })
    }

    /// Those that happen at all.
    var active: [NetworkFault] {
        zip(NetworkFault.allCases, rates).filter { $0.1 > 0 }.map(\.0)
    }

    mutating func turnOff(_ fault: NetworkFault) {
        for (place, one) in NetworkFault.allCases.enumerated() where one == fault { rates[place] = 0 }
    }

    /// Whether a fault happens now.
    func happens(_ fault: NetworkFault, _ random: inout SeededRandom) -> Bool {
        for (rate, one) in zip(rates, NetworkFault.allCases) where one == fault {
            return rate > 0 && random.chance(rate, outOf: 1000)
        }
        return false
    }

    /// The first of these that happens now.
    func first(of faults: [NetworkFault], _ random: inout SeededRandom) -> NetworkFault? {
        faults.first { happens($0, &random) }
    }
}
