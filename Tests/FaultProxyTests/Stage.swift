import EventLoop
import FaultProxy
import HTTPClient
import HTTPCore
import HTTPServer
import Platform
import SimulatorKit
import TestSupport
import Testing

/// A real server, a proxy before it and a client that goes through it, on one loop.
final class Stage: HTTPResponder, @unchecked Sendable {
    // Touched on the loop's thread only, which makes the claim above true.
    let loop: EventLoop
    private(set) var proxy: FaultProxy!
    private(set) var client: HTTPClient!
    /// Bodies of the requests that the server got, in order.
    private(set) var bodies: [String] = []
    private(set) var streams: [ResponseStream] = []
    /// Why streams are over.
    private(set) var reasons: [ResponseStream.Reason] = []
    /// Bytes of each answer.
    var answerBytes = 2
    private var servers: [HTTPServer] = []

    private init(loop: EventLoop) { self.loop = loop }

    /// Runs `body` with a stage whose proxy has these rates.
    static func with(
        _ rates: FaultRates, seed: UInt64 = 1, servers: Int = 1, connections: Int = 1,
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let stage = Stage(loop: loop)
            let targets = try (0..<servers).map { _ in try stage.serve() }
            let proxy = try FaultProxy(loop: loop, targets: targets, seed: seed) {
                !$0.contains(0x78)  // an "x" says: only once
            }
            await proxy.set(rates)
            var limits = HTTPClientLimits()
            limits.connections = connections
            stage.proxy = proxy
            stage.client = HTTPClient(loop: loop, limits: limits)
            let result: Result<Void, any Error>
            do { result = .success(try await body(stage)) } catch { result = .failure(error) }
            stage.client.close()
            await proxy.close()
            stage.stopServers()
            try result.get()
        }
    }

    private func serve() throws -> UInt16 {
        let server = HTTPServer(
            loop: loop, limits: HTTPLimits(), gauges: HTTPGauges(), responder: self)
        servers.append(server)
        return try server.listen(host: "127.0.0.1", port: 0)
    }

    func stopServers() {
        for server in servers { server.close() }
        servers = []
    }

    /// Ends the first of the servers, connections and all.
    func stopFirstServer() { servers.removeFirst().close() }

    func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
        bodies.append(String(decoding: request.body, as: UTF8.self))
        guard request.target == "/events" else {
            return finish(Response(status: 200, body: [UInt8](repeating: 0x61, count: answerBytes)))
        }
        let stream = ResponseStream { [unowned self] in reasons.append($0) }
        streams.append(stream)
        finish(Response(status: 200, headers: ["Content-Type": "text/event-stream"], stream: stream))
    }

    var base: BaseURL { BaseURL(host: "127.0.0.1", port: proxy.port, pathPrefix: "") }

    /// Posts a body through the proxy; the size of the answer, or why there is none.
    func post(_ body: String, within limit: Duration = .seconds(20)) async -> Result<Int, HTTPClientError> {
        do {
            let request = Request(.post, "/", body: Array(body.utf8))
            let sending = Task(executorPreference: loop) { [self] in
                try await client.send(request, to: base).body.count
            }
            let timer = loop.timer(after: limit) { sending.cancel() }
            defer { timer.cancel() }
            return .success(try await sending.value)
        } catch let error as HTTPClientError {
            return .failure(error)
        } catch {
            return .failure(.timedOut)
        }
    }

    /// Waits until it holds, or for ten seconds.
    func wait(_ isTrue: () async -> Bool) async throws {
        for _ in 0..<2_000 {
            if await isTrue() { return }
            try await loop.sleep(for: .milliseconds(5))
        }
        Issue.record("it did not come to hold")
    }
}
