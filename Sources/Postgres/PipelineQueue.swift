/// Requests that have not been sent, and whose turn it is.
///
/// A request that finds a row locked holds up all that is behind it for as long as it waits for the row. Where that
/// has happened, requests of its scope take turns with all others, so that one app's locked row is not everybody's.
struct PipelineQueue {
    /// Oldest first.
    private var waiting: [PipelineRequest] = []
    /// Requests that run again, each in a batch of its own.
    private var alone: [PipelineRequest] = []
    /// Scopes in which a row was found locked, and until when that is believed.
    private var heldUp: [Scope?: Duration] = [:]
    private var isTurnOfHeldUp = false

    /// How long a scope counts as held up after its last request that was.
    private static let belief = Duration.seconds(1)

    /// Whether nothing waits for its first turn.
    var hasNoneWaiting: Bool { waiting.isEmpty }

    mutating func add(_ request: PipelineRequest) { waiting.append(request) }

    /// Takes in a request that is to run in a batch of its own, before those that wait for their first turn.
    mutating func addAlone(_ request: PipelineRequest) { alone.append(request) }

    /// A request of the scope found a row locked.
    mutating func holdUp(_ scope: Scope?, at now: Duration) { heldUp[scope] = now + PipelineQueue.belief }

    /// The requests of the next batch; empty if there is nothing to send.
    mutating func next(most: Int, at now: Duration) -> [PipelineRequest] {
        if !heldUp.isEmpty { heldUp = heldUp.filter { $0.value > now } }
        guard !heldUp.isEmpty else { return next(most: most) }
        isTurnOfHeldUp.toggle()
        let first = take(ofHeldUp: isTurnOfHeldUp, most: most)
        return first.isEmpty ? take(ofHeldUp: !isTurnOfHeldUp, most: most) : first
    }

    private mutating func next(most: Int) -> [PipelineRequest] {
        if !alone.isEmpty { return [alone.removeFirst()] }
        let requests = Array(waiting.prefix(most))
        waiting.removeFirst(requests.count)
        return requests
    }

    private mutating func take(ofHeldUp isHeldUp: Bool, most: Int) -> [PipelineRequest] {
        let isIncluded = { [heldUp] (request: PipelineRequest) in
            (heldUp[request.write.scope] != nil) == isHeldUp
        }
        if let index = alone.firstIndex(where: isIncluded) { return [alone.remove(at: index)] }
        var taken: [PipelineRequest] = []
        waiting.removeAll { request in
            guard taken.count < most, isIncluded(request) else { return false }
            taken.append(request)
            return true
        }
        return taken
    }

    /// Takes out all requests that `isRefused` names.
    mutating func remove(where isRefused: (PipelineRequest) -> Bool) -> [PipelineRequest] {
        let refused = (alone + waiting).filter(isRefused)
        alone.removeAll(where: isRefused)
        waiting.removeAll(where: isRefused)
        return refused
    }
}
