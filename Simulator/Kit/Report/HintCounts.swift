/// How many changes devices had to hear of over their streams, and did.
package struct HintCounts: Sendable, Equatable, Codable {
    /// Several changes of which one hint tells count once.
    package var expected = 0
    package var heard = 0
    /// Of those expected: the stream ended or the server failed before it could be said.
    package var unjudged = 0

    package init() {}

    /// Takes in what another process counted.
    package mutating func merge(_ other: HintCounts) {
        expected += other.expected
        heard += other.heard
        unjudged += other.unjudged
    }

    /// For people; nothing if none was expected.
    package var words: String? {
        guard expected > 0 else { return nil }
        return
            "\(Words.number(heard)) of \(Words.number(expected)) heard, \(Words.number(unjudged)) not judged"
    }
}
