import InboxModel

/// Finds the shortest part of a failing history that fails too, by leaving steps out (delta debugging).
package struct Shrinker {
    /// Plays a history; what is wrong, if anything is.
    package typealias Play = (History) async throws -> Disagreement?

    private let play: Play
    private var playsLeft: Int
    private var shortest: (history: History, disagreement: Disagreement)

    /// - Parameter mostPlays: a bound on what it costs; each play makes apps and asks for everything again.
    package static func shortest(
        of history: History, _ disagreement: Disagreement, mostPlays: Int = 400, _ play: @escaping Play
    ) async throws -> (history: History, disagreement: Disagreement) {
        var shrinker = Shrinker(
            play: play, playsLeft: mostPlays, shortest: cut(history, disagreement))
        try await shrinker.leaveOut()
        try await shrinker.simplify()
        try await shrinker.leaveOut()
        return shrinker.shortest
    }

    /// What comes behind the disagreement is not part of the story.
    private static func cut(_ history: History, _ disagreement: Disagreement) -> (History, Disagreement) {
        var history = history
        history.steps.removeSubrange((disagreement.step + 1)...)
        return (history, disagreement)
    }

    /// Leaves out parts, the half first and at last single steps, until none can be missed.
    private mutating func leaveOut() async throws {
        var size = max(1, shortest.history.steps.count / 2)
        while playsLeft > 0 {
            var hasShrunk = false
            var start = 0
            while start < shortest.history.steps.count, playsLeft > 0 {
                var candidate = shortest.history
                candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
                if try await accept(candidate) { hasShrunk = true } else { start += size }
            }
            if size == 1, !hasShrunk { return }
            size = max(1, size / 2)
        }
    }

    /// Makes single steps say less.
    private mutating func simplify() async throws {
        var index = 0
        while index < shortest.history.steps.count, playsLeft > 0 {
            for step in shortest.history.steps[index].simpler where playsLeft > 0 {
                var candidate = shortest.history
                candidate.steps[index] = step
                if try await accept(candidate) { break }
            }
            index += 1
        }
    }

    /// Keeps a history that fails as well.
    private mutating func accept(_ candidate: History) async throws -> Bool {
        playsLeft -= 1
        guard let disagreement = try await play(candidate) else { return false }
        shortest = Shrinker.cut(candidate, disagreement)
        return true
    }
}

extension Step {
    /// The same with less in it, the simplest first.
    fileprivate var simpler: [Step] {
        var steps = action.simpler.map { Step(after: milliseconds, on: server, $0) }
        if case .together(let one, let other) = action { steps += [one, other] }
        if server > 0 { steps.append(Step(after: milliseconds, on: 0, action)) }
        return steps
    }
}

extension Action {
    fileprivate var simpler: [Action] {
        switch self {
        case .mark(let caller, let mark, let numbers, let surface) where numbers.count > 1:
            return numbers.map { .mark(caller, mark, [$0], through: surface) }
        case .register(let device, let tags) where !tags.isEmpty: return [.register(device, tags: [])]
        case .send(var sending):
            let parts = sending.selection.parts
            var simpler: [Action] = parts.map { part in
                var simpler = sending
                simpler.selection = part
                return .send(simpler)
            }
            if sending.tag != nil || sending.named != nil || sending.types != .all {
                (sending.tag, sending.named, sending.types) = (nil, nil, .all)
                simpler.append(.send(sending))
            }
            return simpler
        default: return []
        }
    }
}

extension Selection {
    /// Audiences that are part of this one.
    fileprivate var parts: [Selection] {
        switch self {
        case .all(let parts), .any(let parts): parts
        case .not(let part): [part]
        case .devices(let numbers) where numbers.count > 1: numbers.map { .devices([$0]) }
        case .people(let numbers) where numbers.count > 1: numbers.map { .people([$0]) }
        case .devices, .people, .everyone, .tag, .nobody: []
        }
    }
}
