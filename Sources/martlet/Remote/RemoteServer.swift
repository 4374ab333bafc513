import ClientCore
import Crypto
import Foundation
import HTTPCore
import InboxWire

/// A running server, as one caller talks to it: the backend of an app, an installed app, or a device.
struct RemoteServer: Sendable {
    /// Where it is.
    let base: BaseURL
    private let authorization: String
    private let transport: any Transport

    /// What `init` reads.
    static let options: [Option] = [.server, .appKey, .masterSecret, .token]

    init(
        _ base: BaseURL, _ user: String, _ password: String, transport: any Transport = URLSessionTransport()
    ) {
        self.init(base, "Basic \(Base64.encode(Array("\(user):\(password)".utf8)))", transport)
    }

    private init(_ base: BaseURL, _ authorization: String, _ transport: any Transport) {
        self.base = base
        self.authorization = authorization
        self.transport = transport
    }

    /// The same server, to another caller.
    func by(_ user: String, _ password: String) -> RemoteServer {
        RemoteServer(base, user, password, transport: transport)
    }

    /// Reads the options; nothing after a problem.
    init?(_ arguments: inout Arguments) {
        if let token = RemoteServer.token(&arguments) {
            guard let base = RemoteServer.base(&arguments) else { return nil }
            self.init(base, "Bearer \(token)", URLSessionTransport())
        } else {
            let key = arguments.required(.appKey)
            let secret = arguments.required(.masterSecret)
            guard let base = RemoteServer.base(&arguments) else { return nil }
            self.init(base, key, secret)
        }
    }

    /// The token to call with, unless a secret is named nearer by.
    private static func token(_ arguments: inout Arguments) -> String? {
        if arguments.isGiven(.masterSecret) {
            if arguments.isGiven(.token) {
                arguments.report("--token stands instead of --master-secret: give one")
            }
            return nil
        }
        return arguments.text(.token).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads where the server is; nothing after a problem.
    static func base(_ arguments: inout Arguments) -> BaseURL? {
        guard arguments.text(.server) != nil else { return standardBase }
        return arguments.value(.server) { text throws(Unreadable) in
            guard let base = BaseURL(text) else {
                throw Unreadable("must be an absolute http or https URL, such as https://inbox.example.com")
            }
            return base
        }
    }

    /// Calls the server and returns the JSON of its answer, null if that has no body.
    ///
    /// - Throws: `CommandFailure.refused` with the server's own reason, or with what is wrong with the connection.
    func call(
        _ method: HTTPCore.Method, _ target: String, _ body: JSON? = nil, headers: Headers = [:]
    ) async throws -> JSON {
        let answer = try await bytes(method, target, body, headers: headers)
        if answer.isEmpty { return .null }
        guard let json = try? JSON(parsing: answer) else {
            throw CommandFailure.refused("\(base) answered something else than JSON", advice: Advice.address)
        }
        return json
    }

    /// Calls the server and returns the body of its answer as it came.
    ///
    /// - Throws: as `call`.
    func bytes(
        _ method: HTTPCore.Method, _ target: String, _ body: JSON? = nil, headers: Headers = [:]
    ) async throws -> [UInt8] {
        var request = Request(method, target, headers: headers)
        request.headers.add("Accept", "application/vnd.urbanairship+json; version=3")
        request.headers.add("Authorization", authorization)
        if let body {
            request.headers.add("Content-Type", "application/json")
            request.body = JSONWriter.bytes { $0.value(body) }
        }
        let response = try await send(request)
        guard (200..<300).contains(response.status) else {
            throw Refusal(response.status, try? JSON(parsing: response.body)).failure
        }
        return response.body
    }

    private func send(_ request: Request) async throws(CommandFailure) -> Response {
        do {
            return try await transport.send(request, to: base)
        } catch {
            throw .refused("\(base) cannot be reached: \(error.localizedDescription)", advice: Advice.address)
        }
    }

    private static let standardBase = BaseURL(host: "127.0.0.1", port: 8080)

    private enum Advice {
        static let address = "check --server (or MARTLET_SERVER), and that `martlet serve` runs there"
    }
}

/// What a server said instead of doing it.
private struct Refusal {
    private let status: Int
    private let answer: JSON?

    init(_ status: Int, _ answer: JSON?) {
        self.status = status
        self.answer = answer
    }

    var failure: CommandFailure {
        let title =
            text("title") ?? text("error")
            ?? (status == 401 ? "Unauthorized" : "the server answered \(status)")
        let place = text("field").map { "\($0) " } ?? ""
        let reason = text("detail").map { "\(place)\($0)" }
        let reference = text("reference").map { "the server's log has more under \($0)" }
        return .refused(reason ?? title, advice: reference ?? advice)
    }

    private var advice: String? {
        switch status {
        case 401: "check --app-key and --master-secret, or --token (`martlet key list` shows which are good)"
        case 429, 503: "try again in a moment"
        default: nil
        }
    }

    private func text(_ name: String) -> String? {
        guard case .string(let text)? = answer?[name] else { return nil }
        return Text.plain(text)
    }
}

extension Option {
    /// `--server`.
    static let server = Option(
        "server", "URL", "where the server is", fallback: "http://127.0.0.1:8080", variable: "MARTLET_SERVER")
    /// `--app-key`.
    static let appKey = Option("app-key", "KEY", "the app", variable: "MARTLET_APP_KEY")
    /// `--master-secret`.
    static let masterSecret = Option(
        "master-secret", "SECRET", "the app's master secret", variable: "MARTLET_MASTER_SECRET",
        also: [.secret])
    /// `--token`.
    static let token = Option(
        "token", "TOKEN", "a token of the app, instead of key and secret", variable: "MARTLET_TOKEN",
        also: [.secret])
}
