import EventLoop
import HTTPCore
import HTTPServer
import Platform
import TestSupport

/// What a test's server does with a request; on the loop.
typealias Answer = @Sendable (Request, EventLoop, @escaping @Sendable (Response) -> Void) -> Void

/// One server on a loop of its own, or several that share a port.
final class TestServer: Sendable {
    let loops: [EventLoop]
    let port: UInt16
    let gauges: HTTPGauges
    let nodes: [Node]

    /// What one loop owns.
    final class Node: HTTPResponder, @unchecked Sendable {
        // Touched on its loop's thread only.
        let loop: EventLoop
        let answer: Answer
        var server: HTTPServer?

        init(loop: EventLoop, answer: @escaping Answer) {
            self.loop = loop
            self.answer = answer
        }

        func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
            answer(request, loop, finish)
        }
    }

    init(limits: HTTPLimits, loops count: Int, gauges: HTTPGauges, answer: @escaping Answer) async throws {
        self.gauges = gauges
        var loops: [EventLoop] = []
        var nodes: [Node] = []
        var port: UInt16 = 0
        for index in 0..<count {
            let node = Node(loop: try EventLoop.start(name: "http-\(index)"), answer: answer)
            loops.append(node.loop)
            nodes.append(node)
            port = try await Task(executorPreference: node.loop) { [port] in
                let server = HTTPServer(loop: node.loop, limits: limits, gauges: gauges, responder: node)
                node.server = server
                return try server.listen(host: "127.0.0.1", port: port)
            }.value
        }
        (self.loops, self.nodes, self.port) = (loops, nodes, port)
    }

    /// Drains all loops at once.
    func drain(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for node in nodes {
                group.addTask(executorPreference: node.loop) { await node.server?.drain(within: limit) }
            }
        }
    }

    func openConnections() async -> Int {
        var sum = 0
        for node in nodes {
            sum += await Task(executorPreference: node.loop) { node.server?.openConnections ?? 0 }.value
        }
        return sum
    }

    func stop() async {
        for node in nodes {
            await Task(executorPreference: node.loop) {
                node.server?.close()
                node.server = nil
            }.value
            node.loop.stop()
            node.loop.join()
        }
    }
}

/// Runs `body` with a server that is gone afterwards.
func withServer(
    _ limits: HTTPLimits = HTTPLimits(), loops: Int = 1, gauges: HTTPGauges = HTTPGauges(),
    answer: @escaping Answer = echo, _ body: (TestServer) async throws -> Void
) async throws {
    let server = try await TestServer(limits: limits, loops: loops, gauges: gauges, answer: answer)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// Answers with what the server has understood: method, target, body, and the header field `x`.
@Sendable func echo(
    _ request: Request, _ loop: EventLoop, _ finish: @escaping @Sendable (Response) -> Void
) {
    var text = "\(request.method.rawValue) \(request.target) \(String(decoding: request.body, as: UTF8.self))"
    if let x = request.headers["x"] { text += " x=\(x)" }
    if let host = request.headers["host"] { text += " @\(host)" }
    finish(Response(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8)))
}

/// Answers like `echo`, from a task that has waited.
@Sendable func later(
    _ request: Request, _ loop: EventLoop, _ finish: @escaping @Sendable (Response) -> Void
) {
    Task(executorPreference: loop) {
        try await loop.sleep(for: .milliseconds(1))
        echo(request, loop, finish)
    }
}

/// Sends bytes over one connection, on a thread of its own, and returns what `read` makes of the answers.
func talk<Result: Sendable>(
    _ server: TestServer, _ bytes: String, _ read: @escaping @Sendable (RawClient) throws -> Result
) async throws -> Result {
    try await onItsThread { [port = server.port] in
        let client = try RawClient(port: port)
        try client.send(bytes)
        return try read(client)
    }
}
