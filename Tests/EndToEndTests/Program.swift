import Foundation
import Platform

/// A built program of this package, or another one, running.
final class Program: Sendable {
    /// What a program has left behind.
    struct Outcome: Sendable {
        let code: Int32
        let output: String
        let errors: String

        /// A member of the JSON object on standard output; nothing if there is none.
        subscript(name: String) -> Any? {
            let object = try? JSONSerialization.jsonObject(with: Data(output.utf8))
            return (object as? [String: Any])?[name]
        }

        /// A text of the JSON object; empty if there is none.
        func text(_ name: String) -> String { self[name] as? String ?? "" }

        /// Lines of standard error.
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    let output: Capture
    let errors: Capture
    private let process: Process
    private let input: Pipe
    private let ended: AsyncStream<Int32>
    private let wasEnded = Lock(false)

    /// Starts a program; `MARTLET_…` and `DATABASE_URL` come from `environment` alone.
    ///
    /// - Parameter name: a product of this package, or a path.
    init(_ name: String, _ arguments: [String], _ environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = name.contains("/") ? URL(fileURLWithPath: name) : Program.url(of: name)
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { variable in
            !variable.key.hasPrefix("MARTLET_") && variable.key != "DATABASE_URL"
        }
        process.environment = inherited.merging(environment) { $1 }
        input = Pipe()
        let (outputPipe, errorPipe) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (
            input, outputPipe, errorPipe
        )
        output = Capture(outputPipe)
        errors = Capture(errorPipe)
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        ended = stream
        process.terminationHandler = { process in
            // As a shell tells it: a signal is 128 and its number.
            let signal = process.terminationReason == .uncaughtSignal
            continuation.yield(process.terminationStatus + (signal ? 128 : 0))
            continuation.finish()
        }
        try process.run()
    }

    /// Runs a program to its end.
    static func run(
        _ name: String, _ arguments: [String], _ environment: [String: String] = [:], input: [UInt8] = []
    ) async throws -> Outcome {
        let program = try Program(name, arguments, environment)
        program.write(input)
        return await program.outcome()
    }

    /// Where a product of this package lies: beside the tests.
    static func url(of product: String) -> URL {
        let tests = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.deletingLastPathComponent().appendingPathComponent(product)
    }

    /// Stops the program where it is, and returns when none of its threads runs any more.
    func stop() {
        send(signal: SIGSTOP)
        var info = siginfo_t()
        // Not reaped: its end is for whoever waits for that.
        while waitid(P_PID, id_t(process.processIdentifier), &info, WSTOPPED | WNOWAIT) < 0, errno == EINTR {}
    }

    /// Sends bytes to standard input and ends it.
    func write(_ bytes: [UInt8]) {
        // A program that does not read is no error here.
        try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
        try? input.fileHandleForWriting.close()
    }

    var processID: pid_t { process.processIdentifier }

    func send(signal: Int32) { kill(process.processIdentifier, signal) }

    /// Tells the program to end, once: a second signal would cut it off.
    func end() {
        let isFirst = wasEnded.withLock { wasEnded in
            defer { wasEnded = true }
            return !wasEnded
        }
        if isFirst { send(signal: SIGTERM) }
    }

    /// Waits for the end.
    func outcome() async -> Outcome {
        var code: Int32 = -1
        for await status in ended { code = status }
        return Outcome(code: code, output: await output.whole(), errors: await errors.whole())
    }
}

/// What a program writes to one of its ends, as it comes.
final class Capture: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isWhole = false
        var waiting: [(isReady: (State) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    init(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                // Foundation's own reading ends the process where a signal interrupts it.
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                add(Array(buffer[..<count]), isLast: false)
            }
            add([], isLast: true)
        }
    }

    /// Waits for a text; returns the rest of its line, or nothing if the program ends without it.
    func rest(after text: String) async -> String? {
        await wait { Capture.line(in: $0.bytes, after: text) != nil }
        return state.withLock { Capture.line(in: $0.bytes, after: text) }
    }

    /// Waits until a text has come so many times, or the program ends.
    func wait(for text: String, times count: Int) async {
        await wait { String(decoding: $0.bytes, as: UTF8.self).ranges(of: text).count >= count }
    }

    /// Waits for the end, and returns everything.
    func whole() async -> String {
        await wait { $0.isWhole }
        return String(decoding: state.withLock { $0.bytes }, as: UTF8.self)
    }

    private func wait(until isReady: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isWhole || isReady(state) { return true }
                state.waiting.append((isReady, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func add(_ bytes: [UInt8], isLast: Bool) {
        let ready = state.withLock { state in
            state.bytes += bytes
            state.isWhole = isLast
            let now = state
            state.waiting.removeAll { isLast || $0.isReady(now) }
            return now.waiting.filter { isLast || $0.isReady(now) }.map(\.1)
        }
        for continuation in ready { continuation.resume() }
    }

    private static func line(in bytes: [UInt8], after text: String) -> String? {
        let whole = String(decoding: bytes, as: UTF8.self)
        guard let place = whole.range(of: text),
            let end = whole[place.upperBound...].firstIndex(where: \.isNewline)
        else {
            return nil
        }
        return String(whole[place.upperBound..<end])
    }
}
