import ClientCore
import EventLoop
import HTTPClient
import HTTPCore
import InboxClient
import InboxModel
import Platform
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A client over the loop's transport, whose requests nobody answers.
@Suite(.timeLimit(.minutes(1)))
struct ClientClosingTests {
    @Test func `an inbox that is closed ends the request that is under way over the loop, too`() async throws
    {
        try await withLoop { loop in
            let client = HTTPClient(loop: loop)
            let store = KeptStore()
            try store.save([.installation(Self.installation), .confirmed(.person(nil))])
            let transport = CountedTransport(client)
            let (listener, port) = silentListener()
            defer { close(listener) }
            let base = BaseURL(host: "127.0.0.1", port: port)
            let end = WireEnd(AppCredential(key: "key", secret: "secret"), at: base, over: transport)
            let inbox = try await Inbox(InboxParts(MartletWire(end), at: base, store: store, seed: 1))
            await transport.next()
            let refresh = Task { await inbox.refresh() }
            await inbox.close()
            #expect(await refresh.value == false)
            #expect(await transport.next() is CancellationError)
            client.close()
        }
    }

    private static var installation: ClientCore.Installation {
        var installation = InboxParts.newInstallation()
        installation.credential = InboxCredential(user: "user", password: "password")
        return installation
    }

    /// A socket whose connections the system takes and nobody answers.
    private func silentListener() -> (descriptor: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, size)
                _ = getsockname(listener, $0, &size)
            }
        }
        listen(listener, 8)
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}

/// Tells of each request, and then of what it ended with.
private final class CountedTransport: Transport {
    private let inner: any Transport
    private let told = AsyncStream<(any Error)?>.makeStream()

    init(_ inner: any Transport) { self.inner = inner }

    /// The next thing that happens: a request, as nothing, or its error.
    @discardableResult
    func next() async -> (any Error)? {
        for await event in told.stream { return event }
        return nil
    }

    func send(_ request: Request, to base: BaseURL) async throws -> Response {
        told.continuation.yield(nil)
        do {
            return try await inner.send(request, to: base)
        } catch {
            told.continuation.yield(error)
            throw error
        }
    }
}
