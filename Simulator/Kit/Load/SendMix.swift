import Platform

/// Whom the messages of an app are for and how long they live, drawn anew for each.
struct SendMix: Sendable {
    private let toEveryone: Double
    private let toTags: Double
    private let toPeople: Double
    private let shortLived: Double
    private let tags: Int

    /// Shares by a profile; to everyone and to tags only so often that inboxes stay of a size that people have.
    ///
    /// - Parameters:
    ///   - sends: what the app will be sent, about.
    ///   - tags: how many of them its devices share.
    init(_ profile: LoadProfile, sends: Double, tags: Int) {
        let sends = max(1, sends)
        toEveryone = min(profile.toEveryone, 100 / sends)
        toTags = min(profile.toTags, 60 * Double(tags) / sends)
        toPeople = profile.toPeople
        shortLived = profile.shortLived
        self.tags = tags
    }

    /// Whom the next one is for; nothing if it is for a single device and none was found that is registered.
    func target(_ ledger: Ledger, using random: inout SeededRandom) -> Target? {
        let draw = Double.random(in: 0..<1, using: &random)
        if draw < toEveryone { return .everyone }
        if draw < toEveryone + toTags { return .tag(Int.random(in: 0..<tags, using: &random)) }
        if draw < toEveryone + toTags + toPeople {
            return .person(Int.random(in: ledger.people.indices, using: &random))
        }
        for _ in 0..<SendMix.tries {
            let device = Int.random(in: ledger.devices.indices, using: &random)
            if ledger.isRegistered(device) { return .device(device) }
        }
        return nil
    }

    /// For how many seconds the next one lives; nothing if it outlives the run.
    func lifeSeconds(using random: inout SeededRandom) -> Int64? {
        guard Double.random(in: 0..<1, using: &random) < shortLived else { return nil }
        return Int64.random(in: 2...8, using: &random)
    }

    private static let tries = 8
}
