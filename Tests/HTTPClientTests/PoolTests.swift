import EventLoop
import HTTPClient
import HTTPCore
import HTTPServer
import Platform
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PoolTests {
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func `an answer that does not come in time is given up, and the connection with it`() async throws {
        let server = try ScriptedServer([[.hang], [.send(ok)]])
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        let status = try await withClient {
            $0.answerWithin = .milliseconds(50)
        } _: { client in
            await #expect(throws: HTTPClientError.timedOut) {
                try await client.send(Request(.get, "/"), to: base)
            }
            #expect(client.openConnections == 0)
            return try await client.send(Request(.get, "/"), to: base).status
        }
        #expect(status == 200)
    }

    @Test func `requests beyond the connections wait for one, and those beyond that are refused`()
        async throws
    {
        let server = try ScriptedServer([[.send(ok), .send(ok), .send(ok)]])
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        let (statuses, open) = try await withClient {
            $0.connections = 1
            $0.waiting = 2
        } _: { client in
            let results = Lock<[Int]>([])
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask(executorPreference: client.loop) {
                        do {
                            let response = try await client.send(Request(.get, "/"), to: base)
                            results.withLock { $0.append(response.status) }
                        } catch {
                            let code = error as? HTTPClientError == .overloaded ? -1 : -2
                            results.withLock { $0.append(code) }
                        }
                    }
                }
            }
            return (results.withLock { $0.sorted() }, client.openConnections)
        }
        #expect(statuses == [-1, 200, 200, 200])
        #expect(open == 1)
    }

    @Test func `a cancelled request ends at once`() async throws {
        let server = try ScriptedServer([[.hang]])
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        try await withClient { client in
            let task = Task(executorPreference: client.loop) {
                try await client.send(Request(.get, "/"), to: base)
            }
            while server.heads.withLock({ $0.isEmpty }) { try await client.loop.sleep(for: .milliseconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(client.openConnections == 0)
        }
    }

    @Test func `closing ends what is under way and what waits`() async throws {
        let server = try ScriptedServer([[.hang]])
        let base = BaseURL(host: "127.0.0.1", port: server.port)
        try await withClient {
            $0.connections = 1
        } _: { client in
            let tasks = (0..<3).map { _ in
                Task(executorPreference: client.loop) { try await client.send(Request(.get, "/"), to: base) }
            }
            while server.heads.withLock({ $0.isEmpty }) { try await client.loop.sleep(for: .milliseconds(1)) }
            client.close()
            for task in tasks { await #expect(throws: HTTPClientError.closed) { try await task.value } }
            await #expect(throws: HTTPClientError.closed) {
                try await client.send(Request(.get, "/"), to: base)
            }
        }
    }

    @Test func `many requests over few connections all get their own answer, without foreign jobs`()
        async throws
    {
        final class Echo: HTTPResponder {
            func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
                finish(Response(status: 200, body: Array(request.target.utf8)))
            }
        }
        let (right, foreign) = try await withClient {
            $0.connections = 8
        } _: { client in
            let loop = client.loop
            let echo = Echo()
            let server = HTTPServer(loop: loop, limits: HTTPLimits(), gauges: HTTPGauges(), responder: echo)
            let base = BaseURL(host: "127.0.0.1", port: try server.listen(host: "127.0.0.1", port: 0))
            let before = loop.foreignJobs
            let right = Lock(0)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask(executorPreference: loop) {
                        let response = try? await client.send(Request(.get, "/\(number)"), to: base)
                        if response?.body == Array("/\(number)".utf8) { right.withLock { $0 += 1 } }
                    }
                }
            }
            let foreign = loop.foreignJobs - before
            server.close()
            withExtendedLifetime(echo) {}
            return (right.withLock { $0 }, foreign)
        }
        #expect(right == 500)
        #expect(foreign == 0)
    }
}
