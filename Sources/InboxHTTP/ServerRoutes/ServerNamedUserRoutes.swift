import Foundation
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
        let request = try AssociationRequest(try call.plainBody(), limits: shard.configuration.limits)
        // A backend's word suffices.
        switch try await shard.store.logIn(request.channel, as: request.namedUser, with: nil, in: app.app) {
        case .done: return .vendor()
        case .unknownChannel: throw InboxError.notFound(what: "channel")
        case .usedProof: preconditionFailure("PostgresStore.logIn: no proof was given")
        }
    }

    /// `POST /api/named_users/disassociate`: logs a channel out; of a person who is named, only if logged in.
    static func disassociateNamedUser(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let request = try DisassociationRequest(try call.plainBody())
        let association = try await shard.store.logOut(
            request.channel, request.namedUser.map(LogOut.onlyAs) ?? .always, in: app.app)
        guard association != nil else { throw InboxError.notFound(what: "channel") }
        return .vendor()
    }

    /// `GET /api/named_users?id=`; without the parameter all of them, page by page.
    static func lookUpNamedUser(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        guard let id = call.request.queryValues("id").first else {
            return try await shard.listNamedUsers(call, app)
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

    private func listNamedUsers(_ call: Call, _ app: AppCredentials) async throws -> Response {
        let most = Shard.namedUsersPerPage
        let limit = try call.request.pageLimit("named_users_per_page", upTo: most, or: most)
        let start = try call.request.queryValues("start").first.map { try NamedUserID($0, field: "start") }
        // One more than is shown says whether there is a next page.
        let found = try await store.namedUsers(in: app.app, after: start, limit: limit + 1)
        let last = found.count > limit ? found[limit - 1].namedUser.text : nil
        let next = last?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return .vendor { body in
            body.array("named_users") { list in for person in found.prefix(limit) { list.value(person) } }
            if let next {
                body.member("next_page", "\(call.base)/api/named_users?limit=\(limit)&start=\(next)")
            }
        }
    }

    /// Each may have a hundred channels.
    private static let namedUsersPerPage = 100

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
