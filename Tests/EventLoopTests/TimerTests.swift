import EventLoop
import Platform
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TimerTests {
    @Test func `timers fire once, in the order of their times, never early`() async throws {
        try await withLoop { loop in
            let fired = Lock<[Int]>([])
            let waited = try await on(loop) {
                let start = loop.uptime
                loop.timer(after: .milliseconds(20)) { fired.withLock { $0.append(20) } }
                loop.timer(after: .milliseconds(5)) { fired.withLock { $0.append(5) } }
                loop.timer(after: .zero) { fired.withLock { $0.append(0) } }
                try await loop.sleep(for: .microseconds(20_001))
                return loop.uptime - start
            }
            #expect(fired.withLock { $0 } == [0, 5, 20])
            #expect(waited >= .microseconds(20_001))
        }
    }

    @Test func `a cancelled timer does not fire`() async throws {
        try await withLoop { loop in
            let fired = Lock(0)
            try await on(loop) {
                let timer = loop.timer(after: .milliseconds(2)) { fired.withLock { $0 += 1 } }
                timer.cancel()
                timer.cancel()
                let spent = loop.timer(after: .zero) { fired.withLock { $0 += 10 } }
                try await loop.sleep(for: .milliseconds(5))
                spent.cancel()
            }
            #expect(fired.withLock { $0 } == 10)
        }
    }

    @Test func `a timer that fires or is cancelled lets go of its action`() async throws {
        final class Token: Sendable {}
        try await withLoop { loop in
            let gone = try await on(loop) {
                let (fires, cancelled) = (Token(), Token())
                weak let first = fires
                weak let second = cancelled
                loop.timer(after: .zero) { [fires] in _ = fires }
                loop.timer(after: .seconds(9)) { [cancelled] in _ = cancelled }.cancel()
                _ = consume fires
                _ = consume cancelled
                try await loop.sleep(for: .milliseconds(2))
                return first == nil && second == nil
            }
            #expect(gone)
        }
    }

    @Test func `a sleep ends at once when its task is cancelled`() async throws {
        try await withLoop { loop in
            let sleeping = Task(executorPreference: loop) { try await loop.sleep(for: .seconds(600)) }
            try await on(loop) { try await loop.sleep(for: .milliseconds(1)) }
            sleeping.cancel()
            await #expect(throws: CancellationError.self) { try await sleeping.value }
        }
    }

    @Test func `a task that was cancelled before does not sleep`() async throws {
        try await withLoop { loop in
            let task = Task(executorPreference: loop) {
                withUnsafeCurrentTask { $0?.cancel() }
                try await loop.sleep(for: .seconds(600))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `a sleep may begin on another thread`() async throws {
        try await withLoop { loop in
            try await loop.sleep(for: .milliseconds(1))
        }
    }
}
