import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a listener has told, to be waited for.
private final class Heard: Sendable {
    private let stream: AsyncStream<String>
    private let told: AsyncStream<String>.Continuation
    /// Kinds of failures, in order.
    let failures = Lock<[PostgresError.Kind]>([])

    init() { (stream, told) = AsyncStream.makeStream() }

    /// The next things told: "gap", "refused", or channel and payload.
    func next(_ count: Int) async -> [String] {
        var found: [String] = []
        for await word in stream {
            found.append(word)
            if found.count == count { break }
        }
        return found
    }

    func attach(to listener: NotificationListener) {
        listener.onGap = { [told] in told.yield("gap") }
        listener.onNotification = { [told] in told.yield("\($0): \($1)") }
        listener.onEvent = { [told, failures] event in
            guard case .disconnected(let error) = event else { return }
            failures.withLock { $0.append(error.kind) }
            if error.kind == .refused { told.yield("refused") }
        }
    }
}

/// Gives `body` a listener on the channel `news`, and closes it.
private func withListener(
    to configuration: ConnectionConfiguration, limits: NotificationLimits = NotificationLimits(),
    _ body: @escaping @Sendable (NotificationListener, Heard) async throws -> Void
) async throws {
    try await withLoop { loop in
        let listener = NotificationListener(
            loop: loop, configuration: configuration, channel: "news", limits: limits)
        let heard = Heard()
        heard.attach(to: listener)
        listener.start()
        let result: Result<Void, any Error>
        do { result = .success(try await body(listener, heard)) } catch { result = .failure(error) }
        await listener.close()
        try result.get()
    }
}

@Suite(.timeLimit(.minutes(10)))
struct NotificationTests {
    @Test func `what others notify comes in order, once it is committed, from its channel only`() async throws
    {
        try await withDatabase(counters) { url in
            try await withListener(to: ConnectionConfiguration(url)) { _, heard in
                let other = try AdminConnection(url)
                let begun = await heard.next(1)
                #expect(begun == ["gap"])
                try other.script(
                    """
                    NOTIFY other, 'unheard'; NOTIFY news, 'one'; NOTIFY news, 'one'; NOTIFY news;
                    """)
                try other.script("BEGIN; NOTIFY news, 'undone'; ROLLBACK; NOTIFY news, 'two'")
                let words = await heard.next(3)
                #expect(words == ["news: one", "news: ", "news: two"])
            }
        }
    }

    @Test func `pipelines send, for reads and for writes, as the application's role`() async throws {
        try await withDatabase(counters) { url in
            let configuration = try ConnectionConfiguration(url)
            try await withListener(to: configuration) { listener, heard in
                _ = await heard.next(1)
                try await withPipeline(.reads, to: configuration) { pipeline in
                    _ = try await pipeline.result(of: "SELECT pg_notify(\("news"), \("read"))")
                }
                try await withPipeline(.counterWrites, to: configuration) { pipeline in
                    _ = try await pipeline.write(
                        Write([
                            "UPDATE counters SET n = 1 WHERE id = 1", "SELECT pg_notify('news', \("write"))",
                        ]))
                    let failed = await failure {
                        _ = try await pipeline.write(
                            Write(["SELECT pg_notify('news', 'undone')", "SELECT 1 / 0"]))
                    }
                    #expect(failed != nil)
                    _ = try await pipeline.write(Write(["SELECT pg_notify('news', 'last')"]))
                }
                let words = await heard.next(3)
                #expect(words == ["news: read", "news: write", "news: last"])
            }
        }
    }

    @Test func `a connection that is ended is replaced, and the gap is told`() async throws {
        try await withDatabase(counters) { url in
            try await withListener(to: ConnectionConfiguration(url)) { listener, heard in
                let other = try AdminConnection(url)
                _ = await heard.next(1)
                for number in 1...3 {
                    try other.terminateOthers()
                    let gap = await heard.next(1)
                    #expect(gap == ["gap"])
                    try other.execute("SELECT pg_notify('news', \("\(number)"))")
                    let word = await heard.next(1)
                    #expect(word == ["news: \(number)"])
                }
                #expect(heard.failures.withLock { $0 } == [.unavailable, .unavailable, .unavailable])
                #expect(listener.isListening)
            }
        }
    }

    @Test func `a server that falls silent is noticed, and another connection made`() async throws {
        var limits = NotificationLimits()
        (limits.askEvery, limits.silentWithin) = (.milliseconds(50), .milliseconds(200))
        try await withDatabase(counters) { [limits] url in
            try await withListener(to: ConnectionConfiguration(url), limits: limits) { _, heard in
                let other = try AdminConnection(url)
                _ = await heard.next(1)
                let backend: Int32 = try other.value(
                    """
                    SELECT pid FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
                kill(backend, SIGSTOP)
                let gap = await heard.next(1)
                kill(backend, SIGCONT)
                #expect(gap == ["gap"])
            }
        }
    }

    @Test func `a network that swallows everything is noticed`() async throws {
        var limits = NotificationLimits()
        (limits.askEvery, limits.silentWithin) = (.milliseconds(50), .milliseconds(200))
        try await withProxy { [limits] through, proxy, url in
            try await withListener(to: through, limits: limits) { _, heard in
                let other = try AdminConnection(url)
                _ = await heard.next(1)
                proxy.set(.swallow)
                try other.execute("SELECT pg_notify('news', 'lost')")
                let gap = await heard.next(1)
                try other.execute("SELECT pg_notify('news', 'heard')")
                let word = await heard.next(1)
                #expect(gap + word == ["gap", "news: heard"])
            }
        }
    }

    @Test func `a pooler is refused, and told once`() async throws {
        try await withProxy { through, proxy, _ in
            proxy.set(.otherProcess)
            try await withListener(to: through) { listener, heard in
                let word = await heard.next(1)
                #expect(word == ["refused"])
                #expect(heard.failures.withLock { $0 } == [.refused])
                #expect(!listener.isListening)
            }
        }
    }

    @Test func `after closing nothing is told`() async throws {
        try await withDatabase(counters) { url in
            let heard = Heard()
            try await withListener(to: ConnectionConfiguration(url)) { listener, first in
                _ = await first.next(1)
                heard.attach(to: listener)
                await listener.close()
                try AdminConnection(url).script("NOTIFY news, 'late'")
                #expect(!listener.isListening)
            }
            #expect(heard.failures.withLock { $0 } == [])
        }
    }
}
