import EventLoop
import InboxHTTP
import InboxService
import InboxStorage
import Postgres

/// Carries the hints of an instance to others and back.
actor Link {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let pipeline: Pipeline
    private let relay: HintRelay
    private let asked = AsyncStream<Bool>.makeStream()

    /// To be called on the stage's loop.
    init(_ stage: DeviceStage) throws {
        loop = stage.shard.loop
        let configuration = try ConnectionConfiguration(stage.url)
        pipeline = Pipeline(loop: loop, configuration: configuration, mode: .reads)
        relay = HintRelay(
            stage.configuration.hints, sendingOn: pipeline, listeningOn: configuration,
            instance: .random(in: 1 ... .max))
    }

    /// Returns when it listens.
    func start() async {
        let connected = AsyncStream<Void>.makeStream()
        pipeline.start()
        await relay.start(
            onEvent: { if case .connected = $0 { connected.continuation.yield() } },
            onAsked: { [asked] in asked.continuation.yield($0) })
        for await _ in connected.stream { break }
    }

    /// Returns when another instance wants hints that did not before.
    nonisolated func becomesAsked() async {
        for await isAsked in asked.stream where isAsked { return }
    }

    func close() async {
        await relay.close()
        await pipeline.close()
    }
}

extension DeviceStage {
    /// The same stage behind another instance, with the link of that one to this.
    func onLinkedInstance(_ body: (DeviceStage, Link) async throws -> Void) async throws {
        try await onAnotherInstance { other in
            let links = (try Link(self), try Link(other))
            await links.0.start()
            await links.1.start()
            do {
                try await body(other, links.1)
            } catch {
                await links.0.close()
                await links.1.close()
                throw error
            }
            await links.0.close()
            await links.1.close()
        }
    }
}
