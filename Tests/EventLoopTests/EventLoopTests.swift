import EventLoop
import Platform
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs `body` with a loop on a thread of its own, which is gone afterwards.
func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop.start(name: "test")
    do {
        try await body(loop)
    } catch {
        loop.stop()
        loop.join()
        throw error
    }
    loop.stop()
    loop.join()
}

/// Runs `body` on the loop and returns what it returns.
func on<Result: Sendable>(
    _ loop: EventLoop, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await Task(executorPreference: loop, operation: body).value
}

/// An actor whose code runs on a loop.
actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private(set) var value = 0

    init(loop: EventLoop) {
        self.loop = loop
    }

    func count(to end: Int) async -> Int {
        while value < end {
            value += 1
            await Task.yield()
        }
        return value
    }

    func raise() -> Int {
        value += 1
        return value
    }
}

@Suite(.timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test func `a task with the loop as preference runs on the loop's thread`() async throws {
        try await withLoop { loop in
            #expect(!loop.isCurrent)
            let isCurrent = try await on(loop) { loop.isCurrent }
            #expect(isCurrent)
        }
    }

    @Test func `actors and plain async functions stay on the loop without foreign jobs`() async throws {
        try await withLoop { loop in
            let counter = Counter(loop: loop)
            let before = loop.foreignJobs
            let (value, foreign) = try await on(loop) {
                let started = loop.foreignJobs
                let value = await counter.count(to: 1_000)
                try await loop.sleep(for: .milliseconds(1))
                return (value, loop.foreignJobs - started)
            }
            #expect(value == 1_000)
            #expect(foreign == 0)
            #expect(loop.foreignJobs > before)  // the task itself came from here
        }
    }

    @Test func `a callback on the loop may enter an actor of the loop`() async throws {
        try await withLoop { loop in
            let counter = Counter(loop: loop)
            let value = await withCheckedContinuation { continuation in
                loop.execute {
                    continuation.resume(returning: counter.assumeIsolated { $0.raiseNow() })
                }
            }
            #expect(value == 1)
        }
    }

    @Test func `work from many threads all runs, in each thread's order`() async throws {
        try await withLoop { loop in
            let seen = Lock<[Int: [Int]]>([:])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in 0..<4 {
                    group.addTask {
                        for number in 0..<500 {
                            loop.execute { seen.withLock { $0[sender, default: []].append(number) } }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await on(loop) {}
            for sender in 0..<4 { #expect(seen.withLock { $0[sender] } == Array(0..<500)) }
        }
    }

    @Test func `what is gathered in a pass is sent at its end, after the jobs`() async throws {
        try await withLoop { loop in
            let log = Lock<[String]>([])
            try await on(loop) {
                loop.passEnds { log.withLock { if $0.last == "job" { $0.append("end") } } }
                for _ in 0..<3 { loop.execute { log.withLock { $0.append("job") } } }
                try await loop.sleep(for: .milliseconds(1))
            }
            #expect(log.withLock { $0 } == ["job", "job", "job", "end"])
        }
    }

    @Test func `jobs that make jobs leave sockets their turn`() async throws {
        try await withLoop { loop in
            let fired = Lock(false)
            try await on(loop) {
                loop.timer(after: .zero) { fired.withLock { $0 = true } }
                while !fired.withLock({ $0 }) { await Task.yield() }
            }
            #expect(fired.withLock { $0 })
        }
    }

    @Test func `stop runs what was handed over before it, and ends the thread`() async throws {
        let loop = try EventLoop.start(name: "test")
        let ran = Lock(false)
        loop.execute { ran.withLock { $0 = true } }
        loop.stop()
        loop.join()
        #expect(ran.withLock { $0 })
    }

    @Test func `a loop runs on the thread that calls run`() throws {
        let loop = try EventLoop()
        let thread = pthread_self()
        let ran = Lock(false)
        loop.execute {
            ran.withLock { $0 = pthread_equal(pthread_self(), thread) != 0 }
            loop.stop()
        }
        loop.run()
        #expect(ran.withLock { $0 })
    }

    @Test func `a signal reaches the loop that asked for it`() async throws {
        try await withLoop { loop in
            await withCheckedContinuation { continuation in
                loop.execute {
                    let first = Lock(true)
                    loop.onSignal(SIGURG) {
                        if first.withLock({ exchange(&$0, with: false) }) { continuation.resume() }
                    }
                    kill(getpid(), SIGURG)
                }
            }
        }
    }
}

extension Counter {
    func raiseNow() -> Int {
        raise()
    }
}
