import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `POST /api/named_users/associate`: logs a channel in as a person, who is made if unknown.
    static func associateNamedUser(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let request = try AssociationRequest.associate(try call.plainBody())
        let association = try await shard.store.associate(
            request.channel, with: request.namedUser, onlyIf: nil, in: app.app)
        guard association != nil else { throw InboxError.notFound(what: "channel") }
        return .vendor()
    }

    /// `POST /api/named_users/disassociate`: logs a channel out; of a person who is named, only if logged in.
    static func disassociateNamedUser(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let request = try AssociationRequest.disassociate(try call.plainBody())
        let association = try await shard.store.associate(
            request.channel, with: nil, onlyIf: request.namedUser, in: app.app)
        guard association != nil else { throw InboxError.notFound(what: "channel") }
        return .vendor()
    }

    /// `GET /api/named_users?id=`.
    static func lookUpNamedUser(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        guard let id = call.request.queryValues("id").first else {
            throw InboxError.invalid(field: "id", reason: "the parameter 'id' must be set")
        }
        let person = try NamedUserID(id, field: "id")
        guard let record = try await shard.store.namedUser(person, in: app.app) else {
            throw InboxError.notFound(what: "named user")
        }
        return .vendor { body in
            body.name("named_user")
            body.value(record)
        }
    }

    /// `POST /api/named_users/tags`.
    static func tagNamedUsers(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let request = try TagRequest(people: try call.plainBody(), limits: shard.configuration.limits)
        let unknown = try await shard.store.changeTags(
            request.change, ofPeople: request.targets, in: app.app)
        return .tagged(unknown: unknown.map { "named_user:\($0.text)" })
    }
}

extension Response {
    /// The answer to a change of tags, which names those that do not exist.
    static func tagged(unknown: [String]) -> Response {
        .vendor { body in
            if !unknown.isEmpty { body.member("warnings", unknown.map { "\($0) is unknown" }) }
        }
    }
}
