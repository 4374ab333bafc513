import HTTPCore
import InboxWire

/// A device of the demo, registered as an installed app does it.
struct DemoDevice: Sendable {
    let person: String
    let name: String
    let channel: String
    let user: String
    let password: String
    private let server: RemoteServer

    /// Registers over the device API and lets the backend say whose device it is.
    ///
    /// - Throws: `CommandFailure`.
    init(_ plan: Plan, app: RemoteServer, backend: RemoteServer) async throws {
        (person, name) = (plan.person, plan.name)
        let payload = JSON.object([
            "device_type": .string(plan.type), "opt_in": .bool(true), "background": .bool(true),
            "set_tags": .bool(true), "tags": .array(plan.tags.map { .string($0) }),
        ])
        let registered = try await app.call(.post, "/api/channels/", .object(["channel": payload]))
        channel = try DemoDevice.text("channel_id", of: registered)
        let created = try await app.call(
            .post, "/api/user/", .object(["\(plan.type)_channels": .array([.string(channel)])]))
        user = try DemoDevice.text("user_id", of: created)
        password = try DemoDevice.text("password", of: created)
        server = app.by(user, password)
        _ = try await backend.call(
            .post, "/api/named_users/associate/",
            .object([
                "channel_id": .string(channel), "device_type": .string(plan.type),
                "named_user_id": .string(person),
            ]))
    }

    /// A device that does not exist yet.
    struct Plan: Sendable {
        let person: String
        let name: String
        let type: String
        let tags: [String]
    }

    /// Message ids of the device's list, newest first.
    func list() async throws -> [String] {
        let answer = try await server.call(.get, "/api/user/\(user)/messages/")
        return (answer["messages"]?.elements ?? []).compactMap { $0["message_id"]?.string }
    }

    /// Marks a message read (`unread`) or deletes it (`delete`), by the last part of the path.
    func mark(_ message: String, _ action: String) async throws {
        let reporting = JSON.object(["message_id": .string(message)])
        _ = try await server.call(
            .post, "/api/user/\(user)/messages/\(action)/", .object(["messages": .array([reporting])]))
    }

    /// What a script needs to be this device.
    var json: JSON {
        .object([
            "person": .string(person), "name": .string(name), "channel_id": .string(channel),
            "user_id": .string(user), "password": .string(password),
        ])
    }

    private static func text(_ name: String, of answer: JSON) throws(CommandFailure) -> String {
        guard let text = answer[name]?.string else { throw .refused("the server's answer has no \(name)") }
        return text
    }
}
