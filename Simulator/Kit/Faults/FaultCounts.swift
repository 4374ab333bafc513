/// What a fault proxy has done so far.
package struct FaultCounts: Hashable, Sendable {
    /// Connections that clients made.
    package var connections = 0
    /// Requests that clients began to send.
    package var requests = 0
    /// By `FaultKind.index`.
    private var times = [Int](repeating: 0, count: FaultKind.allCases.count)

    package init() {}

    /// How often a fault happened.
    package subscript(kind: FaultKind) -> Int {
        get { times[kind.index] }
        set { times[kind.index] = newValue }
    }

    /// Faults of all kinds.
    package var faults: Int { times.reduce(0, +) }

    /// Adds what another proxy has done.
    package static func += (sum: inout FaultCounts, more: FaultCounts) {
        sum.connections += more.connections
        sum.requests += more.requests
        for kind in FaultKind.allCases { sum[kind] += more[kind] }
    }
}

extension FaultCounts: CustomStringConvertible {
    package var description: String {
        let done = FaultKind.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.words)" }
        return "\(connections) connections, \(requests) requests, "
            + (done.isEmpty ? "no faults" : done.joined(separator: ", "))
    }
}
