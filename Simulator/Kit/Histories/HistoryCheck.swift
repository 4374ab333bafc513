/// Plays many histories by chance, and tells the shortest one in which an answer was wrong.
package struct HistoryCheck {
    package let stage: any HistoryStage
    package let features: StageFeatures
    /// The first history's; each further one has the next number.
    package let seed: UInt64

    package init(on stage: any HistoryStage, features: StageFeatures, seed: UInt64) {
        self.stage = stage
        self.features = features
        self.seed = seed
    }

    /// A history in which an answer was wrong.
    package struct Finding: Sendable {
        /// The history's own seed: with it the first history is this one.
        package let seed: UInt64
        /// Which history it was, from 1.
        package let number: Int
        package let history: History
        package let disagreement: Disagreement

        /// The story, a line a step.
        package var lines: [String] { history.story(disagreement) }
    }

    /// Plays histories until an answer is wrong; nothing if none was.
    ///
    /// - Parameter progress: is told how many have been played.
    package func run(
        histories: Int, _ progress: (_ played: Int) -> Void = { _ in }
    ) async throws -> Finding? {
        for number in 0..<histories {
            let seed = self.seed &+ UInt64(number)
            let history = History.random(seed: seed, features: features)
            if let disagreement = try await play(history) {
                let shortest = try await Shrinker.shortest(of: history, disagreement) { try await play($0) }
                return Finding(
                    seed: seed, number: number + 1, history: shortest.history,
                    disagreement: shortest.disagreement)
            }
            progress(number + 1)
        }
        return nil
    }

    private func play(_ history: History) async throws -> Disagreement? {
        try await HistoryRun.play(history, on: stage, features: features)
    }
}
