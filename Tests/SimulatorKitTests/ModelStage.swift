import HTTPCore
import Platform
import ReferenceInbox
import SimulatorKit

/// A stage whose two servers are one in memory.
struct ModelStage: HistoryStage {
    private let server: Lock<ModelServer>
    private let paths = Lock<Set<String>>([])

    /// - Parameter seed: of the ids that the servers choose.
    init(_ lapse: ModelServer.Lapse? = nil, seed: UInt64 = 1) {
        server = Lock(ModelServer(now: Instant(seconds: 1_800_000_000), lapse: lapse, seed: seed))
    }

    /// The first two parts of each path that was asked for.
    var asked: Set<String> { paths.withLock { $0 } }

    func call(_ request: Request, on server: Int) async throws -> Response {
        let parts = request.path.split(separator: "/").prefix(2).joined(separator: "/")
        paths.withLock { _ = $0.insert(parts) }
        return self.server.withLock { $0.answer(request) }
    }

    func advanceClock(by duration: Duration) async throws -> Instant {
        server.withLock { server in
            let (seconds, attoseconds) = duration.components
            server.now = Instant(
                rawValue: server.now.rawValue + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
            return server.now
        }
    }

    func makeApp(_ settings: ReferenceInbox.Settings) async throws -> AppKeys {
        server.withLock { $0.makeApp(settings) }
    }
}
