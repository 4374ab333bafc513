/// What the simulator itself took: to tell its own limits from the server's.
package struct Usage: Sendable {
    package let cpu: Duration
    /// Largest resident memory so far; zero where the system does not tell.
    package let peakBytes: Int

    package init(cpu: Duration, peakBytes: Int) {
        self.cpu = cpu
        self.peakBytes = peakBytes
    }

    package var words: String { "simulator: \(seconds(cpu)) of CPU, at most \(peakBytes >> 20) MiB" }
}
