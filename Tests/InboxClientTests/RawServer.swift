import HTTPCore
import Platform
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A server that reads a request and answers as the test says, byte by byte; one connection after another.
final class RawServer: Sendable {
    let base: BaseURL
    private let listener: Int32
    private let answer: Answer
    private let asked = AsyncStream<Void>.makeStream()
    private let left = AsyncStream<Void>.makeStream()
    private let bytes = Lock(0)

    enum Answer: Sendable {
        /// Nothing, for as long as anybody waits.
        case silence
        case text(String)
        /// A text, and then the end of the connection.
        case cut(String)
        /// A text, then so many times the same piece, and no end.
        case endless(String, piece: String, count: Int)
    }

    private init(_ answer: Answer) {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, size)
                _ = getsockname(listener, $0, &size)
            }
        }
        listen(listener, 8)
        base = BaseURL(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port))
    }

    /// Gives `body` a server for as long as it runs.
    static func with(_ answer: Answer, _ body: (RawServer) async throws -> Void) async throws {
        let server = RawServer(answer)
        async let serving: Void = onItsThread { server.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        // Whatever became of the test: it waits for the server's end.
        shutdown(server.listener, Int32(SHUT_RDWR))
        try await serving
        try result.get()
    }

    /// Waits for the next request.
    func isAsked() async { for await _ in asked.stream { return } }

    /// Waits until who asked has closed the connection.
    func isLeft() async { for await _ in left.stream { return } }

    /// Bytes that were taken from it.
    var bytesTaken: Int { bytes.withLock { $0 } }

    private func run() {
        while case let client = accept(listener, nil, nil), client >= 0 {
            serve(client)
            close(client)
            left.continuation.yield()
        }
        close(listener)
    }

    private func serve(_ client: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // Should a test fail, its client may never leave.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard recv(client, &buffer, buffer.count, 0) > 0 else { return }
        asked.continuation.yield()
        switch answer {
        case .silence: break
        case .text(let text): guard say(text, to: client) else { return }
        case .cut(let text):
            _ = say(text, to: client)
            return
        case .endless(let text, let piece, let count):
            guard say(text, to: client) else { return }
            for _ in 0..<count { guard say(piece, to: client) else { return } }
        }
        while recv(client, &buffer, buffer.count, 0) > 0 {}
    }

    private func write(_ bytes: [UInt8], to client: Int32) -> Int {
        send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private func say(_ text: String, to client: Int32) -> Bool {
        let sent = Array(text.utf8)
        let isSent = write(sent, to: client) == sent.count
        if isSent { bytes.withLock { $0 += sent.count } }
        return isSent
    }
}
