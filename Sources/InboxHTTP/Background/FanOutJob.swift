import InboxModel
import InboxService

/// A fan-out that a runner has, with who is next to get the message.
struct FanOutJob {
    /// Where it stands as far as is known.
    var fanOut: FanOut
    /// Who is to get it and is in no chunk yet, ascending.
    var candidates: ArraySlice<InboxID> = []
    /// No further candidates were found.
    var isLast = false
    /// Chunks that are on their way, oldest first.
    private(set) var sent: [Chunk] = []

    /// A chunk that was given to the store.
    struct Chunk {
        /// As it must stand when the chunk's turn comes.
        let fanOut: FanOut
        /// Not empty.
        let inboxes: [InboxID]
        /// Another one was on its way before it.
        let isAhead: Bool
        let outcome: Task<ChunkOutcome, any Error>
    }

    /// All that was found is delivered.
    var isDone: Bool { candidates.isEmpty && sent.isEmpty }

    /// Makes chunks until so many are on their way, or nobody is left.
    mutating func send(
        upTo most: Int, of size: Int, by deliver: (FanOut, [InboxID]) -> Task<ChunkOutcome, any Error>
    ) {
        while sent.count < most, !candidates.isEmpty {
            var start = fanOut
            if let before = sent.last { start.position = before.inboxes[before.inboxes.count - 1] }
            let inboxes = Array(candidates.prefix(size))
            candidates = candidates.dropFirst(size)
            let outcome = deliver(start, inboxes)
            sent.append(Chunk(fanOut: start, inboxes: inboxes, isAhead: !sent.isEmpty, outcome: outcome))
        }
    }

    /// The oldest chunk on its way is delivered.
    mutating func advance() {
        let chunk = sent.removeFirst()
        fanOut.position = chunk.inboxes[chunk.inboxes.count - 1]
    }

    /// Returns when nothing is on its way any more, however that ends.
    func settle() async {
        for chunk in sent { _ = await chunk.outcome.result }
    }
}
