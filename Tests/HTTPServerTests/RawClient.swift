import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A blocking socket that sends exactly the given bytes; used on a thread of its own.
final class RawClient {
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var isAtEnd = false

    struct Failure: Error {
        let what: String
    }

    /// A connection to a port of this machine.
    init(port: UInt16) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        // Far beyond what any test needs: a server that hangs fails the test instead of stopping the suite.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // `deinit` closes the descriptor in this case too.
        guard code == 0 else { throw Failure(what: "connect: \(errno)") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends text, whose line ends are as they stand in it.
    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(what: "write: \(errno)") }
            sent += count
        }
    }

    /// Tells the server that nothing more comes.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next answer on the connection.
    func reply(toHead: Bool = false) throws -> Reply {
        var reply = try head()
        let hasBody = !toHead && reply.status >= 200 && ![204, 304].contains(reply.status)
        let count = hasBody ? Int(reply["content-length"] ?? "0") ?? 0 : 0
        while received.count < count { try receive() }
        reply.body = take(count)
        return reply
    }

    /// The next answer's head; its body stays where it is.
    func head() throws -> Reply {
        while true {
            if let end = received.firstEnd {
                let reply = try Reply(head: String(decoding: received[..<end], as: UTF8.self))
                received.removeFirst(end + 4)
                return reply
            }
            try receive()
        }
    }

    /// The next chunk of a body; "" is its end.
    func chunk() throws -> String {
        while true {
            if let end = received.firstIndex(of: 10),
                let count = Int(String(decoding: received[..<(end - 1)], as: UTF8.self), radix: 16),
                received.count >= end + 1 + count + 2
            {
                received.removeFirst(end + 1)
                let chunk = take(count)
                try #require(take(2) == "\r\n")
                return chunk
            }
            try receive()
        }
    }

    /// All bytes until the server closes.
    func rest() -> String {
        while !isAtEnd, (try? receive()) != nil {}
        return take(received.count)
    }

    private func take(_ count: Int) -> String {
        defer { received.removeFirst(count) }
        return String(decoding: received.prefix(count), as: UTF8.self)
    }

    /// Whether bytes of an answer, or the end, come within some milliseconds.
    func hasReply(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return !received.isEmpty || poll(&wait, 1, milliseconds) > 0
    }

    /// Whether the server closes now, having sent nothing more; waits for it.
    func isClosed() -> Bool {
        do {
            while !isAtEnd { try receive() }
        } catch {
            return isAtEnd && received.isEmpty
        }
        return received.isEmpty
    }

    private func receive() throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &bytes, bytes.count)
        if count == 0 || (count < 0 && errno == ECONNRESET) { isAtEnd = true }
        guard count > 0 else { throw Failure(what: count == 0 ? "end" : "read: \(errno)") }
        received += bytes[..<count]
    }
}

/// An answer as it came.
struct Reply {
    let status: Int
    let version: String
    let headers: [(name: String, value: String)]
    var body = ""

    init(head: String) throws {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = try #require(lines.first).split(separator: " ", maxSplits: 2)
        version = String(words[0])
        status = try #require(Int(words[1]))
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
    }

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The names in order.
    var names: [String] { headers.map(\.name) }
}

extension [UInt8] {
    /// Where the first blank line begins.
    fileprivate var firstEnd: Int? {
        guard count >= 4 else { return nil }
        return (0...count - 4).first {
            self[$0] == 13 && self[$0 + 1] == 10 && self[$0 + 2] == 13 && self[$0 + 3] == 10
        }
    }
}

/// Blocks the calling thread, which is not one of the pool, until the condition holds.
func wait(until isTrue: () throws -> Bool) rethrows {
    while try !isTrue() { _ = poll(nil, 0, 1) }
}
