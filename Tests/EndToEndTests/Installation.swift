import ClientCore
import Crypto
import Foundation
import HTTPCore
import InboxWire
import TestSupport
import Testing

/// A database with a key, and the programs that work on it.
struct Installation: Sendable {
    /// `DATABASE_URL` and `MARTLET_SECRET_KEY_FILE`.
    let environment: [String: String]

    /// Gives `body` an empty database of its own and a key file.
    static func with<Success>(_ body: (Installation) async throws -> Success) async throws -> Success {
        try await withDatabase { url in
            let installation = Installation(environment: [
                "DATABASE_URL": url, "MARTLET_SECRET_KEY_FILE": try keyFile(),
            ])
            return try await body(installation)
        }
    }

    /// The path of a new key.
    static func keyFile() throws -> String {
        let path = try TestFolder.path()
        try SecretKey.generate().file.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    /// Runs a command of `martlet` to its end.
    func martlet(_ arguments: String..., input: [UInt8] = [], also more: [String: String] = [:]) async throws
        -> Program.Outcome
    {
        try await Program.run("martlet", arguments, environment.merging(more) { $1 }, input: input)
    }

    /// Gives `body` a running server, which must end well when told to.
    func serve<Success>(
        _ options: String..., body: (Server) async throws -> Success
    ) async throws -> Success {
        let program = try Program("martlet", ["serve", "--listen", "127.0.0.1:0"] + options, environment)
        guard let url = await program.errors.rest(after: "listening on ") else {
            throw NotServing(errors: await program.outcome().errors)
        }
        let base = try #require(BaseURL(url))
        let result: Result<Success, any Error>
        do {
            result = .success(try await body(Server(base: base, program: program)))
        } catch {
            result = .failure(error)
        }
        program.end()
        let outcome = await program.outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        return try result.get()
    }

    /// Makes an app and returns its key and secrets.
    func makeApp(_ name: String, _ options: String...) async throws -> AppSecrets {
        let outcome = try await Program.run(
            "martlet", ["app", "create", name, "--json"] + options, environment)
        try #require(outcome.code == 0, "\(outcome.errors)")
        return AppSecrets(
            key: outcome.text("app_key"), app: outcome.text("app_secret"),
            master: outcome.text("master_secret"))
    }
}

/// A server that ended before it served.
struct NotServing: Error {
    let errors: String
}

/// What `app create` has shown.
struct AppSecrets: Sendable {
    let key: String
    let app: String
    let master: String

    /// For commands that speak HTTP to `server`.
    func environment(_ server: Server) -> [String: String] {
        [
            "MARTLET_SERVER": "\(server.base)", "MARTLET_APP_KEY": key, "MARTLET_APP_SECRET": app,
            "MARTLET_MASTER_SECRET": master,
        ]
    }
}

/// A running server.
struct Server: Sendable {
    let base: BaseURL
    private let started: Program?
    private let transport = URLSessionTransport()

    /// A server by its address; by its program as well, if that was started here.
    init(base: BaseURL, program: Program? = nil) {
        self.base = base
        started = program
    }

    /// The program that was started here.
    var program: Program {
        guard let started else { preconditionFailure("it was started elsewhere") }
        return started
    }

    /// Calls it with Basic credentials and returns the answer.
    func call(
        _ method: HTTPCore.Method, _ target: String, _ user: String, _ password: String,
        _ body: String? = nil
    ) async throws -> Response {
        var request = Request(method, target)
        if let body {
            request.headers.add("Content-Type", "application/json")
            request.body = Array(body.utf8)
        }
        return try await send(request, user, password)
    }

    /// Sends a request as it is and returns the answer.
    func send(_ request: Request) async throws -> Response { try await transport.send(request, to: base) }

    /// Sends a request with Basic credentials and returns the answer.
    func send(_ request: Request, _ user: String, _ password: String) async throws -> Response {
        var request = request
        request.headers.add("Authorization", "Basic \(Base64.encode(Array("\(user):\(password)".utf8)))")
        return try await transport.send(request, to: base)
    }
}

/// An installed app on a device, as the device API knows it.
struct Device: Sendable {
    let channel: String
    let user: String
    let password: String
    private let app: AppSecrets

    /// Registers with `server`, for a person if the backend says so.
    init(of app: AppSecrets, at server: Server, person: String? = nil, tags: [String] = []) async throws {
        self.app = app
        let tagList = tags.map { "\"\($0)\"" }.joined(separator: ",")
        let registered = try await server.call(
            .post, "/api/channels/", app.key, app.app,
            #"{"channel":{"device_type":"ios","opt_in":true,"set_tags":true,"tags":[\#(tagList)]}}"#)
        try #require(registered.status == 201)
        channel = registered.text("channel_id")
        let created = try await server.call(
            .post, "/api/user/", app.key, app.app, #"{"ios_channels":["\#(channel)"]}"#)
        try #require(created.status == 201)
        (user, password) = (created.text("user_id"), created.text("password"))
        if let person { try await associate(with: person, at: server) }
    }

    /// Lets the backend say whose device it is.
    func associate(with person: String, at server: Server) async throws {
        let name = JSONWriter.bytes { $0.value(person) }
        let answer = try await server.call(
            .post, "/api/named_users/associate/", app.key, app.master,
            #"{"channel_id":"\#(channel)","named_user_id":\#(String(decoding: name, as: UTF8.self))}"#)
        try #require(answer.status == 200)
    }

    /// The messages of a whole list, newest first.
    func list(at server: Server) async throws -> [JSON] {
        let answer = try await server.call(.get, "/api/user/\(user)/messages/", user, password)
        try #require(answer.status == 200)
        guard case .array(let messages)? = answer.json["messages"] else { return [] }
        return messages
    }

    /// Message ids of a whole list, newest first.
    func ids(at server: Server) async throws -> [String] {
        try await list(at: server).map { $0.text("message_id") }
    }

    /// Marks a message `unread` (that is, read) or `delete`.
    func mark(_ message: String, _ action: String, at server: Server) async throws {
        let answer = try await server.call(
            .post, "/api/user/\(user)/messages/\(action)/", user, password,
            #"{"messages":[{"message_id":"\#(message)"}]}"#)
        try #require(answer.status == 200)
    }
}

extension Response {
    /// The body; null if it is no JSON.
    var json: JSON { (try? JSON.parse(body, duplicateNames: .refuse)) ?? .null }

    /// A text of the body's object; empty if there is none.
    func text(_ name: String) -> String { json.text(name) }
}

extension JSON {
    /// A member's text; empty if there is none.
    func text(_ name: String) -> String {
        guard case .string(let text)? = self[name] else { return "" }
        return text
    }
}
