import Platform
import Postgres

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Stands between a pipeline and PostgreSQL's socket, and spoils what passes.
///
/// Serves one connection after another on a thread of its own, until `stop`.
package final class Proxy: Sendable {
    package enum Rule: Sendable {
        case forward
        /// Breaks the connection in the place of the server's next answer; the connection after that is
        /// forwarded.
        case cutNextAnswer
        /// Lets nothing through until the connection ends; the one after that is forwarded.
        case swallow
        /// Gives another number for the server's process, as poolers do.
        case otherProcess
    }

    /// Where clients find it.
    package let connectionString: String
    private let listener: Int32
    private let server: String
    private let rule = Lock(Rule.forward)

    private init(_ database: ConnectionConfiguration) throws {
        func part(_ keyword: String) throws -> String {
            guard let text = database[keyword: keyword] else {
                throw PostgresError(.refused, "the tests' database has no \(keyword)")
            }
            return text
        }
        let own = try TestFolder.path()
        mkdir(own, 0o700)
        connectionString = "host=\(own) port=5432 dbname=\(try part("dbname")) user=\(try part("user"))"
        server = "\(try part("host"))/.s.PGSQL.5432"
        listener = Self.socketAt("\(own)/.s.PGSQL.5432") { bind($0, $1, $2) }
        listen(listener, 8)
    }

    /// Gives `body` a proxy to a database, by its URL, for as long as it runs.
    package static func open<Success>(
        to url: String, _ body: (Proxy) async throws -> Success
    ) async throws -> Success {
        let proxy = try Proxy(ConnectionConfiguration(url))
        async let serving: Void = onItsThread { proxy.run() }
        let result: Result<Success, any Error>
        do { result = .success(try await body(proxy)) } catch { result = .failure(error) }
        proxy.stop()  // whatever became of the test: it waits for the proxy's end
        try await serving
        return try result.get()
    }

    package func set(_ rule: Rule) {
        self.rule.withLock { $0 = rule }
    }

    /// Ends `run`.
    private func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Serves on the calling thread.
    private func run() {
        while case let client = accept(listener, nil, nil), client >= 0 {
            let server = Self.socketAt(self.server) { connect($0, $1, $2) }
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: 0, revents: 0),
            ]
            while poll(&ends, 3, -1) > 0, ends[2].revents == 0 {
                let isOver = (0..<2).contains {
                    ends[$0].revents != 0 && !pass(ends[$0].fd, ends[1 - $0].fd, isAnswer: $0 == 1)
                }
                if isOver { break }
            }
            close(client)
            close(server)
        }
        close(listener)
    }

    /// Passes on what is there; false ends the connection.
    private func pass(_ source: Int32, _ target: Int32, isAnswer: Bool) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(source, &bytes, bytes.count)
        guard count > 0 else {
            if case .swallow = rule.withLock({ $0 }) { set(.forward) }
            return false
        }
        switch (rule.withLock { $0 }, isAnswer) {
        case (.cutNextAnswer, true):
            set(.forward)
            return false
        case (.swallow, _):
            return true
        case (.otherProcess, true):
            // BackendKeyData: 'K', the length 12, process, key.
            if let key = bytes[..<count].firstRange(of: [0x4B, 0, 0, 0, 12]) {
                bytes[key.upperBound + 3] ^= 1
            }
        default: break
        }
        return write(target, bytes, count) == count
    }

    private static func socketAt(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return descriptor
    }
}
