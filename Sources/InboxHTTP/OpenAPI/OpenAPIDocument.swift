import HTTPCore
import InboxModel
import InboxWire

/// The description of Martlet's own API for programs and people, made of the table that the router serves.
struct OpenAPIDocument: Sendable {
    let operations: [Operation]
    let limits: [Limit]
    /// The program's.
    let version: String
    /// Before every path; a relative one counts from where the document was read.
    let server: String

    init(_ operations: [Operation], _ configuration: ShardConfiguration) {
        self.operations = operations
        limits = configuration.limits.all + configuration.edgeLimits
        version = configuration.version
        server = configuration.publicURL ?? (configuration.basePath.isEmpty ? "/" : configuration.basePath)
    }

    /// The document in OpenAPI 3.1.
    var bytes: [UInt8] {
        JSONWriter.bytes(capacity: 64 * 1024) { writer in
            writer.object { body in
                body.member("openapi", "3.1.0")
                writeHead(to: &body)
                writePaths(to: &body)
                body.object("components") { body in
                    writeSchemas(to: &body)
                    writeRefusals(to: &body)
                    writeSecurity(to: &body)
                }
                body.object("x-martlet-limits") { body in
                    for limit in limits { body.member(limit.name, limit.value) }
                }
            }
        }
    }

    private func writeHead(to body: inout JSONWriter) {
        body.object("info") { body in
            body.member("title", "Martlet API")
            body.member("version", version)
            body.member("description", OpenAPIDocument.preface)
            body.object("license") { body in
                body.member("name", "Apache 2.0")
                body.member("identifier", "Apache-2.0")
            }
        }
        body.array("servers") { list in list.object { $0.member("url", server) } }
    }

    private static let preface = """
        Inboxes of an app's users. Errors are problem documents (RFC 9457) with a stable `code`. Answers may get \
        more members with time, which clients ignore; a request with a member or a parameter of the query \
        that is not known is refused. Lengths in schemas count characters; where a \
        limit counts bytes, its name says so. The numbers of this server's limits stand under `x-martlet-limits`.
        """

    private func writePaths(to body: inout JSONWriter) {
        var patterns: [String] = []
        for operation in operations where !patterns.contains(operation.pattern) {
            patterns.append(operation.pattern)
        }
        body.object("paths") { body in
            for pattern in patterns {
                body.object(pattern) { body in
                    for operation in operations where operation.pattern == pattern {
                        body.object(operation.method.rawValue.lowercased()) { $0.members(of: operation) }
                    }
                }
            }
        }
    }

    private func writeSchemas(to body: inout JSONWriter) {
        var components: [(name: String, schema: Schema)] = []
        for operation in operations {
            for parameter in operation.parameters { parameter.schema.collect(into: &components) }
            operation.body?.collect(into: &components)
            for case .json(let schema) in operation.answers.map(\.content) {
                schema.collect(into: &components)
            }
        }
        Schema.problem.collect(into: &components)
        body.object("schemas") { body in
            for component in components {
                body.name(component.name)
                body.value(component.schema)
            }
        }
    }

    private func writeRefusals(to body: inout JSONWriter) {
        body.object("responses") { body in
            for refusal in Refusal.all {
                body.object(refusal.name) { $0.members(of: refusal, meaning: refusal.meaning) }
            }
        }
    }

    private func writeSecurity(to body: inout JSONWriter) {
        body.object("securitySchemes") { body in
            for scheme in SecurityScheme.allCases {
                body.object(scheme.rawValue) { body in
                    body.member("type", "http")
                    body.member("scheme", scheme.isBasic ? "basic" : "bearer")
                    body.member("description", scheme.meaning)
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of operation: Operation) {
        member("operationId", operation.name)
        member("summary", operation.summary)
        if let detail = operation.detail { member("description", detail) }
        array("security") { list in
            for (scheme, scopes) in operation.access.schemes {
                list.object { $0.member(scheme.rawValue, scopes) }
            }
        }
        if !operation.parameters.isEmpty {
            array("parameters") { list in for parameter in operation.parameters { list.value(parameter) } }
        }
        if let body = operation.body {
            object("requestBody") { request in
                request.member("required", true)
                request.content("application/json", body)
            }
        }
        object("responses") { body in
            for answer in operation.answers { body.object("\(answer.status)") { $0.members(of: answer) } }
            for (refusal, meaning) in operation.refusals {
                body.object("\(refusal.status)") { body in
                    if let meaning { return body.members(of: refusal, meaning: meaning) }
                    body.member("$ref", "#/components/responses/\(refusal.name)")
                }
            }
        }
    }

    private mutating func value(_ parameter: Operation.Parameter) {
        object { body in
            body.member("name", parameter.name)
            body.member("in", parameter.place.rawValue)
            body.member("description", parameter.meaning)
            body.member("required", parameter.place == .path)
            body.name("schema")
            body.value(parameter.schema)
        }
    }

    private mutating func members(of answer: Operation.Answer) {
        member("description", answer.meaning)
        if !answer.headers.isEmpty {
            object("headers") { body in
                for header in answer.headers { body.header(header.name, .string, header.meaning) }
            }
        }
        switch answer.content {
        case .nothing: break
        case .json(let schema): content("application/json", schema)
        case .bytes(let type): object("content") { body in body.object(type) { _ in } }
        }
    }

    fileprivate mutating func members(of refusal: Refusal, meaning: String) {
        member("description", meaning)
        switch refusal.status {
        case 401:
            object("headers") {
                $0.header(
                    "WWW-Authenticate", .string,
                    "Bearer where one was shown, else Basic, which is always possible.")
            }
        case 429, 503:
            object("headers") { $0.header("Retry-After", .integer(1...86_400), "In whole seconds.") }
        default: break
        }
        content("application/problem+json", .problem)
    }

    private mutating func header(_ name: String, _ schema: Schema, _ meaning: String) {
        object(name) { body in
            body.member("description", meaning)
            body.member("required", true)
            body.name("schema")
            body.value(schema)
        }
    }

    private mutating func content(_ type: String, _ schema: Schema) {
        object("content") { body in
            body.object(type) { body in
                body.name("schema")
                body.value(schema)
            }
        }
    }
}
