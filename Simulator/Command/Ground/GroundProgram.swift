import EventLoop
import Foundation

/// A program that is run to its end, with what it says in a log.
struct GroundProgram {
    let path: String
    /// Where standard error goes.
    let log: String

    /// Runs it; returns what it printed.
    ///
    /// - Throws: `GroundError` with its last words if it ends with another code than these.
    func run(_ arguments: [String], expecting codes: Set<Int32> = [0]) async throws -> String {
        let output = "\(log).output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let name = ([path] + arguments.prefix(2)).joined(separator: " ")
        let status = try await ended(try process(arguments, output: output))
        guard codes.contains(status) else {
            throw GroundError.failed("`\(name) …` failed (\(status))", log: log)
        }
        return String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }

    private func process(_ arguments: [String], output: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = GroundProgram.environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try LogFile.open(output)
        process.standardError = try LogFile.open(log)
        return process
    }

    private func ended(_ process: Process) async throws -> Int32 {
        try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(
                    throwing: GroundError(what: "\(path) could not be run: \(error.localizedDescription)"))
            }
        }
    }

    /// Nothing that would point the programs to another installation.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("MARTLET_") && !name.hasPrefix("PG") && name != "DATABASE_URL"
        }
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
