import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `GET /v1/named-users/{id}`.
    static func showPerson(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let person = try call.person()
        guard let record = try await shard.store.namedUser(person, in: caller.app.app),
            let snapshot = try await shard.store.list(of: person, in: caller.app.app)
        else { throw InboxError.notFound(what: "named user") }
        let view = try await shard.view(snapshot, in: .martlet)
        return .json { body in
            body.members(of: record)
            body.member("message_count", view.rows.count)
            body.member("unread_count", view.unreadCount)
        }
    }

    /// `GET /v1/named-users/{id}/inbox`.
    static func personInbox(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let query = try InboxQuery(call.request)
        let epoch = try await shard.store.epoch
        guard let snapshot = try await shard.store.list(of: try call.person(), in: caller.app.app) else {
            throw InboxError.notFound(what: "named user")
        }
        let view = try await shard.view(snapshot, in: .martlet)
        return .privateJSON(try await shard.rendered(view, of: snapshot.reader, query, in: epoch).body)
    }

    /// `DELETE /v1/named-users/{id}?dry_run=`: forgets the person, or tells how much that would be.
    static func erasePerson(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let (person, app) = (try call.person(), caller.app.app)
        if try call.request.queryValues("dry_run").last.map({ try InboxQuery.truth($0, field: "dry_run") })
            ?? false
        {
            guard let holdings = try await shard.store.holdings(of: person, in: app) else {
                throw InboxError.notFound(what: "named user")
            }
            return .json(holdings)
        }
        guard try await shard.store.erase(person, in: app, by: caller.actor) else {
            throw InboxError.notFound(what: "named user")
        }
        return Response(status: 204)
    }
}

extension Call {
    /// The person that the path names.
    func person() throws(InboxError) -> NamedUserID { try NamedUserID(parameters[0], field: "named_user") }
}

extension Response {
    fileprivate static func json(_ holdings: PersonHoldings) -> Response {
        .json { body in
            body.member("dry_run", true)
            body.member("channels", holdings.channels)
            body.member("tags", holdings.tags)
            body.member("messages", holdings.messages)
            body.member("messages_of_nobody_else", holdings.messagesOfNobodyElse)
            body.member("sessions", holdings.sessions)
            body.member("events", holdings.events)
        }
    }
}

extension JSONWriter {
    /// What is known of a person without looking into the inbox.
    mutating func members(of person: NamedUserRecord) {
        member("named_user_id", person.namedUser.text)
        member("created", person.created.millisecondsText)
        member("modified", person.lastModified.millisecondsText)
        member("tags", person.tags)
        array("channels") { list in for channel in person.channels { list.members(of: channel) } }
    }

    private mutating func members(of channel: ChannelRecord) {
        object { body in
            body.member("channel_id", channel.channel.text)
            body.member("device_type", channel.deviceType.text)
            body.member("installed", channel.isInstalled)
            body.member("opt_in", channel.isOptedIn)
            body.member("background", channel.hasBackground)
            body.member("push_address", orNull: channel.pushAddress)
            body.member("created", channel.created.millisecondsText)
            body.member("last_registration", channel.lastRegistration.millisecondsText)
            body.member("tags", channel.tags)
        }
    }
}
