import EventLoop
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport

/// What a server process has for its hints, on a loop of its own.
actor Instance {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let hints = Hints()
    private let pipeline: Pipeline
    private let relay: HintRelay
    private let admin: AdminConnection
    private let asked = AsyncStream<Bool>.makeStream()

    /// To be called on the loop.
    init(_ url: String, on loop: EventLoop, pace: HintRelay.Pace) throws {
        self.loop = loop
        let configuration = try ConnectionConfiguration(url)
        pipeline = Pipeline(loop: loop, configuration: configuration, mode: .reads)
        relay = HintRelay(
            hints, sendingOn: pipeline, listeningOn: configuration, instance: .random(in: 1 ... .max),
            pace: pace)
        admin = try AdminConnection(url)
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

    func close() async {
        await relay.close()
        await pipeline.close()
    }

    /// Returns when another instance wants hints that did not before.
    nonisolated func becomesAsked() async { await becomes(true) }

    /// Returns when no other instance wants hints any more.
    nonisolated func becomesUnasked() async { await becomes(false) }

    private nonisolated func becomes(_ isAsked: Bool) async {
        for await word in asked.stream where word == isAsked { return }
    }

    /// Keeps the connection that sends from doing anything.
    func block() throws {
        try admin.execute("SELECT pg_advisory_lock(1)")
        pipeline.submit("SELECT pg_advisory_lock(1)") { _ in }
    }

    func unblock() throws { try admin.execute("SELECT pg_advisory_unlock(1)") }
}

/// What somebody who watches hears, to be waited for.
final class Heard: Sendable {
    private let listener = Lock<HintListener?>(nil)
    private let batches = AsyncStream<HintBatch>.makeStream()
    private let hints: Hints

    init(_ hints: Hints) {
        self.hints = hints
        let listener = hints.watch { [weak self] in self?.take() }
        self.listener.withLock { $0 = listener }
    }

    func next() async -> HintBatch {
        for await batch in batches.stream { return batch }
        return HintBatch()
    }

    func leave() {
        if let listener = listener.withLock({ $0 }) { hints.leave(listener) }
    }

    private func take() {
        if let batch = listener.withLock({ $0 })?.take() { batches.continuation.yield(batch) }
    }
}

/// All notifications as they come, from a loop of its own.
final class Notes: Sendable {
    private let loop: EventLoop
    private let texts = AsyncStream<String>.makeStream()
    private let listener = Lock<NotificationListener?>(nil)

    /// Returns when it listens.
    init(_ url: String) async throws {
        let loop = try EventLoop.start(name: "notes")
        self.loop = loop
        let configuration = try ConnectionConfiguration(url)
        await withCheckedContinuation { continuation in
            loop.execute { [texts, listener] in
                let made = NotificationListener(
                    loop: loop, configuration: configuration, channel: HintRelay.channel)
                made.onGap = {
                    made.onGap = nil
                    continuation.resume()
                }
                made.onNotification = { texts.continuation.yield($1) }
                made.start()
                listener.withLock { $0 = made }
            }
        }
    }

    /// What comes up to a text that ends so.
    func all(until end: String) async -> [String] {
        var found: [String] = []
        for await text in texts.stream {
            found.append(text)
            if text.hasSuffix(end) { break }
        }
        return found
    }

    func close() async {
        let listener = listener.withLock { $0 }
        await Task(executorPreference: loop) { await listener?.close() }.value
        loop.stop()
        let loop = loop
        try? await onItsThread { loop.join() }
    }
}

/// Gives `body` two instances of one installation.
func withInstances(
    pace: HintRelay.Pace = HintRelay.Pace(),
    _ body: @escaping @Sendable (Instance, Instance, String) async throws -> Void
) async throws {
    try await withDatabase(.empty) { url in
        try await withInstance(url, pace) { one in
            try await withInstance(url, pace) { two in try await body(one, two, url) }
        }
    }
}

private func withInstance(
    _ url: String, _ pace: HintRelay.Pace, _ body: @escaping @Sendable (Instance) async throws -> Void
) async throws {
    try await withLoop { loop in
        let instance = try Instance(url, on: loop, pace: pace)
        await instance.start()
        let result = await Task(executorPreference: loop) { try await body(instance) }.result
        await instance.close()
        try result.get()
    }
}
