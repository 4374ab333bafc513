package import HTTPCore
import Platform

/// What carries a fleet: the thread it is confined to, time, and the ways to the server.
package struct FleetGround: Sendable {
    package let executor: any SerialExecutor & TaskExecutor
    package let clock: any RunClock
    package let transport: any Transport
    /// Where the instances of the server are; devices are spread over them.
    package let bases: [BaseURL]
    /// Opens event streams; what it hands over comes on the executor.
    package let streams: (any StreamTransport)?
    /// Processor time that this process has taken.
    package let cpu: @Sendable () -> Duration

    package init(
        executor: any SerialExecutor & TaskExecutor, clock: any RunClock, transport: any Transport,
        bases: [BaseURL], streams: (any StreamTransport)? = nil,
        cpu: @escaping @Sendable () -> Duration = { .zero }
    ) {
        self.executor = executor
        self.clock = clock
        self.transport = transport
        self.bases = bases
        self.streams = streams
        self.cpu = cpu
    }
}
