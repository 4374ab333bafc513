import EventLoop
import HTTPCore
import HTTPServer
import Platform
import Testing

/// Answers with what the path asks for.
@Sendable private func answers(
    _ request: Request, _ loop: EventLoop, _ finish: @escaping @Sendable (Response) -> Void
) {
    let response =
        switch request.path {
        case "/304": Response(status: 304, headers: ["ETag": "\"1\"", "Last-Modified": "x"], body: [1, 2])
        case "/204": Response(status: 204, body: [1, 2])
        case "/empty": Response(status: 200)
        case "/framing":
            Response(
                status: 200, headers: ["content-length": "7", "Connection": "x", "Date": "now"], body: [65])
        case "/injection": Response(status: 200, headers: ["X": "a\r\n b", "Y": "1"], body: [65])
        case "/name": Response(status: 200, headers: ["a b": "1"], body: [65])
        default: Response(status: 200, headers: ["Last-Modified": "x", "set-cookie": "a", "Set-Cookie": "b"])
        }
    finish(response)
}

@Suite(.timeLimit(.minutes(10)))
struct AnswerTests {
    private func ask(_ path: String, method: String = "GET") async throws -> Reply {
        try await withAnswers { server in
            let request = "\(method) \(path) HTTP/1.1\r\nHost: h\r\n\r\n"
            return try await talk(server, request + request) { client in
                // The second one would be none if the first were not framed rightly.
                _ = try client.reply(toHead: method == "HEAD")
                return try client.reply(toHead: method == "HEAD")
            }
        }
    }

    private func withAnswers(_ body: (TestServer) async throws -> Reply) async throws -> Reply {
        var reply: Reply?
        try await withServer(answer: answers) { reply = try await body($0) }
        return try #require(reply)
    }

    @Test func `fields keep their spelling and order, and nothing superfluous is added`() async throws {
        let reply = try await ask("/")
        #expect(reply.names == ["Last-Modified", "set-cookie", "Set-Cookie", "Content-Length", "Date"])
        #expect(reply.headers.map(\.value).prefix(3) == ["x", "a", "b"])
        #expect(reply.version == "HTTP/1.1")
    }

    @Test func `304 and 204 have neither body nor length nor content type`() async throws {
        #expect(try await ask("/304").names == ["ETag", "Last-Modified", "Date"])
        #expect(try await ask("/204").names == ["Date"])
        #expect(try await ask("/304", method: "HEAD").names == ["ETag", "Last-Modified", "Date"])
    }

    @Test func `an empty body has a length and no content type`() async throws {
        let reply = try await ask("/empty")
        #expect(reply.names == ["Content-Length", "Date"])
        #expect(reply["Content-Length"] == "0")
        #expect(try await ask("/empty", method: "HEAD")["Content-Length"] == "0")
    }

    @Test func `framing is the server's, a date may be given`() async throws {
        let reply = try await ask("/framing")
        #expect(reply["Content-Length"] == "1")
        #expect(reply["Connection"] == nil)
        #expect(reply["Date"] == "now")
    }

    @Test(arguments: ["/injection", "/name"])
    func `a field that would break the head is not sent`(path: String) async throws {
        let reply = try await ask(path)
        #expect(reply.status == 500)
        #expect(reply["X"] == nil)
        #expect(reply["Content-Type"] == "application/problem+json")
    }

    @Test func `the date is right`() async throws {
        let date = try #require(try await ask("/")["Date"])
        #expect(date.hasSuffix(" GMT"))
        #expect(date.utf8.count == "Sun, 06 Nov 1994 08:49:37 GMT".utf8.count)
    }
}
