import EventLoop
import HTTPCore

/// Event streams of two shards of this process, to a fleet on a loop: the port says of which.
struct InstanceStreams: StreamTransport {
    let stage: TwoShards
    let door: PlantedDoor
    /// The fleet's.
    let loop: EventLoop

    func openStream(
        _ request: Request, to base: BaseURL, _ handle: @escaping @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        let server = Int(base.port) - 1
        let stream = InstanceStream(from: stage.loop(of: server), door) { [loop] part in
            loop.execute { handle(part) }
        }
        Task {
            let response = try await stage.call(request, on: server)
            stream.begin(response)
        }
        return stream
    }
}

/// Carries a stream from a shard's loop.
private final class InstanceStream: OpenStream, StreamCarrier, @unchecked Sendable {
    // All that changes is touched on the shard's loop only, which makes the claim above true.
    private let loop: EventLoop
    private let door: PlantedDoor
    private let tell: @Sendable (StreamPart) -> Void
    private var stream: ResponseStream?
    private var isCancelled = false

    init(from loop: EventLoop, _ door: PlantedDoor, _ tell: @escaping @Sendable (StreamPart) -> Void) {
        self.loop = loop
        self.door = door
        self.tell = tell
    }

    func begin(_ response: Response) {
        loop.execute {
            guard let stream = response.stream, !self.isCancelled else { return }
            self.stream = stream
            self.tell(.head(Response(status: response.status, headers: response.headers)))
            stream.begin(on: self)
        }
    }

    func cancel() {
        loop.execute {
            self.isCancelled = true
            self.stream?.close(.clientLeft)
            self.stream = nil
        }
    }

    // MARK: What the stream asks of its carrier

    var waitingBytes: Int { 0 }

    func carry(_ bytes: [UInt8]) { if door.lets(bytes) { tell(.bytes(bytes)) } }

    func endBody() { tell(.end) }
}
