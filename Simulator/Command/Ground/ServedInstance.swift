import EventLoop
import Foundation

/// One `martlet serve`, which is killed, stopped and started again at the same address.
final class ServedInstance {
    /// Standard error of all its lives.
    let log: String
    /// Where it listens, from the first start on.
    private(set) var port: UInt16 = 0
    private let name: String
    private let program: String
    private let arguments: [String]
    private let pidFile: String
    private let loop: EventLoop
    private var process: Child?

    /// How long a start may take, and an end.
    private static let readyWithin = Duration.seconds(30)
    private static let endedWithin = Duration.seconds(20)

    /// - Parameter arguments: of `serve`, without `--listen`.
    init(number: Int, program: String, arguments: [String], folder: String, loop: EventLoop) {
        name = "server \(number)"
        log = "\(folder)/server-\(number).log"
        pidFile = "\(folder)/server-\(number).pid"
        self.program = program
        self.arguments = arguments
        self.loop = loop
    }

    /// Whether its process lives, though it may stand still.
    var isRunning: Bool { process?.isRunning ?? false }

    /// Its process, while it has one.
    var processID: pid_t? { process?.id }

    /// Starts it, and returns when it listens; does nothing while it runs.
    ///
    /// - Throws: `GroundError` with its last words if it ends before, or takes too long.
    func start() async throws {
        guard !isRunning else { return }
        let earlier = LogFile.lines(of: log).count
        let command = [program, "serve", "--listen", "127.0.0.1:\(port)"] + arguments
        let process = try Child(command, log: log)
        self.process = process
        try Data("\(process.id)\n".utf8).write(to: URL(fileURLWithPath: pidFile))
        var found: UInt16?
        _ = try await loop.waits(ServedInstance.readyWithin) {
            found = ServedInstance.port(in: LogFile.lines(of: log).dropFirst(earlier))
            return found != nil || !process.isRunning
        }
        guard let found else {
            try await kill()
            throw GroundError.failed("\(name) did not start", log: log)
        }
        port = found
    }

    /// From `listening on http://127.0.0.1:8080`.
    private static func port(in lines: ArraySlice<String>) -> UInt16? {
        guard let line = lines.first(where: { $0.contains("listening on http://") }) else { return nil }
        return line.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) }
    }

    /// Ends it at once, and returns when it is gone.
    func kill() async throws { try await end(by: SIGKILL) }

    /// Tells it to end, and returns when it is gone.
    ///
    /// - Throws: `GroundError` if it does not, in which case it is killed.
    func stop() async throws {
        resume()
        try await end(by: SIGTERM)
    }

    /// Lets it stand still.
    func pause() { give(SIGSTOP) }

    /// Lets it go on.
    func resume() { give(SIGCONT) }

    private func give(_ number: Int32) {
        guard let process, process.isRunning else { return }
        signal(number, to: process.id)
    }

    private func end(by number: Int32) async throws {
        guard let process else { return }
        give(number)
        let isGone = try await loop.waits(ServedInstance.endedWithin) { !process.isRunning }
        if !isGone {
            give(SIGKILL)
            _ = try await loop.waits(ServedInstance.endedWithin) { !process.isRunning }
        }
        self.process = nil
        try? FileManager.default.removeItem(atPath: pidFile)
        let isWell = number == SIGKILL || process.exitCode == 0
        if !isGone || !isWell { throw GroundError.failed("\(name) did not end well", log: log) }
    }
}
