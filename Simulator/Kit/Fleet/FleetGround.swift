package import HTTPCore
import Platform

/// What carries a fleet: the thread it is confined to, time, and the ways to the server.
package struct FleetGround: Sendable {
    package let executor: any SerialExecutor & TaskExecutor
    package let clock: any RunClock
    package let transport: any Transport
    /// Where the instances of the server are; devices are spread over them.
    package let bases: [BaseURL]
    package let streams: (any StreamDoor)?
    /// Processor time that this process has taken.
    package let cpu: @Sendable () -> Duration

    package init(
        executor: any SerialExecutor & TaskExecutor, clock: any RunClock, transport: any Transport,
        bases: [BaseURL], streams: (any StreamDoor)? = nil,
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

/// Opens answers that are read piece by piece.
package protocol StreamDoor: Sendable {
    /// Sends a request and hands over what comes, on the run's executor and never within this call.
    func open(
        _ request: Request, to base: BaseURL, _ hear: @escaping @Sendable (StreamPart) -> Void
    ) -> any StreamHandle
}

/// What comes of an open answer.
package enum StreamPart: Sendable {
    /// Status and fields, without a body.
    case head(Response)
    case bytes([UInt8])
    /// There is no more; the reason if it broke off.
    case ended(String?)
}

/// An open answer.
package protocol StreamHandle: Sendable {
    /// Ends it; nothing more is handed over.
    func cancel()
}
