package import HTTPCore
package import InboxModel
package import InboxService

/// One call of Martlet's own API: what the router, the document and the handler have in common.
///
/// A declaration reads as a sentence, one line for each thing that a caller must know.
package struct Operation: Sendable {
    package let method: Method
    /// With parameters in braces, such as `/v1/messages/{message}`.
    package let pattern: String
    /// Unique in the API; client generators name their functions after it.
    package let name: String
    let access: Access
    private(set) var summary = ""
    private(set) var detail: String?
    private(set) var parameters: [Parameter] = []
    private(set) var body: Schema?
    private(set) var answers: [Answer] = []
    private(set) var ownRefusals: [Int: String] = [:]

    package init(_ method: Method, _ pattern: String, _ name: String, for access: Access) {
        self.method = method
        self.pattern = pattern
        self.name = name
        self.access = access
    }

    /// What it does, in one line, and what else there is to know.
    func does(_ summary: String, _ detail: String? = nil) -> Self {
        with { ($0.summary, $0.detail) = (summary, detail) }
    }

    /// A parameter in the braces of the pattern.
    func path(_ name: String, _ schema: Schema, _ meaning: String) -> Self {
        with { $0.parameters.append(Parameter(.path, name, schema, meaning)) }
    }

    /// A parameter of the query, which may be absent.
    func query(_ name: String, _ schema: Schema, _ meaning: String) -> Self {
        with { $0.parameters.append(Parameter(.query, name, schema, meaning)) }
    }

    /// A header, which may be absent.
    func header(_ name: String, _ schema: Schema, _ meaning: String) -> Self {
        with { $0.parameters.append(Parameter(.header, name, schema, meaning)) }
    }

    /// The JSON that the request must bring.
    func takes(_ body: Schema) -> Self { with { $0.body = body } }

    /// An answer that is no error.
    func answers(
        _ status: Int, _ meaning: String, _ content: Content = .nothing, headers: [AnswerHeader] = []
    ) -> Self {
        with {
            $0.answers.append(Answer(status: status, meaning: meaning, content: content, headers: headers))
        }
    }

    /// An error beyond those that follow from access and body, or when one of those comes here.
    func refuses(_ status: Int, _ meaning: String) -> Self { with { $0.ownRefusals[status] = meaning } }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Operation {
    struct Parameter: Sendable {
        enum Place: String { case path, query, header }

        let place: Place
        let name: String
        let schema: Schema
        let meaning: String

        init(_ place: Place, _ name: String, _ schema: Schema, _ meaning: String) {
            (self.place, self.name, self.schema, self.meaning) = (place, name, schema, meaning)
        }
    }

    struct Answer: Sendable {
        let status: Int
        let meaning: String
        let content: Content
        let headers: [AnswerHeader]
    }

    /// What an answer's body is.
    enum Content: Sendable {
        case nothing
        case json(Schema)
        /// Bytes of a media type; `*/*` where it depends.
        case bytes(String)
    }

    /// A header of an answer that a caller should read.
    struct AnswerHeader: Sendable {
        let name: String
        let meaning: String

        static let etag = AnswerHeader(name: "ETag", meaning: "Stands for exactly these bytes.")
    }
}

/// Who may call an operation, and what answers once they have proved it.
package enum Access: Sendable {
    /// Everyone.
    case open(Route.Handler)
    /// A device's user or a session.
    case reader(ReaderHandler)
    /// A device's user, but no session.
    case device(ReaderHandler)
    /// An app's own code on a device: by the app secret or something made with it.
    case app(AppHandler)
    /// The app's backend: by the master secret, or a token with the scope.
    case backend(TokenScope, BackendHandler)

    package typealias ReaderHandler = @Sendable (isolated Shard, Call, Credential) async throws -> Response
    package typealias AppHandler = @Sendable (isolated Shard, Call, DeviceCaller) async throws -> Response
    package typealias BackendHandler =
        @Sendable (isolated Shard, Call, BackendCaller) async throws -> Response

}

extension Operation {
    /// The handler behind the proof that it asks for.
    var route: Route {
        let known = parameters.filter { $0.place == .query }.map(\.name)
        let query = KnownQuery(names: known)
        return Route(.martlet) { [access] shard, call in
            switch access {
            case .open(let handler):
                try query.check(call)
                return try await handler(shard, call)
            case .reader(let handler):
                let credential = try await shard.reader(call)
                try query.check(call)
                return try await handler(shard, call, credential)
            case .device(let handler):
                let credential = try await shard.device(call)
                try query.check(call)
                return try await handler(shard, call, credential)
            case .app(let handler):
                let caller = try await shard.deviceCaller(call)
                try query.check(call)
                return try await handler(shard, call, caller)
            case .backend(let scope, let handler):
                let caller = try await shard.backend(call, scope)
                try query.check(call)
                return try await handler(shard, call, caller)
            }
        }
    }
}

/// The parameters of the query that an operation knows: what is misspelt must not be taken for left out.
private struct KnownQuery: Sendable {
    /// A name that ends with `KEY` stands for all that begin alike.
    let names: [String]

    func check(_ call: Call) throws(InboxError) {
        guard call.request.query != nil else { return }
        for (name, _) in call.request.queryPairs where !isKnown(name) {
            throw .invalid(
                field: name, reason: "'\(name.prefix(100))' is not a parameter here; there is \(choice)")
        }
    }

    private func isKnown(_ name: String) -> Bool {
        names.contains { known in
            known.hasSuffix("KEY") ? name.hasPrefix(known.dropLast(3)) : name == known
        }
    }

    private var choice: String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
