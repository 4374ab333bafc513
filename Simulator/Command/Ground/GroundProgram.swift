import EventLoop
import Foundation

/// A program that is run to its end, with what it says in a log.
struct GroundProgram {
    let path: String
    /// Where standard error goes.
    let log: String

    let loop: EventLoop

    /// How long it may take.
    private static let endedWithin = Duration.seconds(60)

    /// Runs it; returns what it printed.
    ///
    /// - Throws: `GroundError` with its last words if it ends with another code than these, or not in time.
    func run(_ arguments: [String], expecting codes: Set<Int32> = [0]) async throws -> String {
        let output = "\(log).output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let name = ([path] + arguments.prefix(2)).joined(separator: " ")
        // The shell parts what is printed from what is said.
        let redirect = ["/bin/sh", "-c", "out=$1; shift; exec \"$@\" >\"$out\"", "sh", output]
        let child = try Child(redirect + [path] + arguments, log: log)
        let isOver = try await loop.waits(GroundProgram.endedWithin) { !child.isRunning }
        if !isOver { signal(SIGKILL, to: child.id) }
        guard let code = child.exitCode, codes.contains(code) else {
            let ending = child.exitCode.map { "\($0)" } ?? "not over in time"
            throw GroundError.failed("`\(name) …` failed (\(ending))", log: log)
        }
        return String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }
}

/// Sends a signal to a process.
func signal(_ number: Int32, to process: pid_t) { kill(process, number) }

/// Does on a thread of its own what would block the caller's loop.
func offLoop<Success: Sendable>(
    _ work: @escaping @Sendable () throws -> Success
) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

extension EventLoop {
    /// Asks every few milliseconds whether it holds, for this long at most; whether it came to hold.
    func waits(_ limit: Duration, until isTrue: () -> Bool) async throws -> Bool {
        let end = uptime + limit
        while !isTrue() {
            guard uptime < end else { return false }
            try await sleep(for: .milliseconds(5))
        }
        return true
    }
}
