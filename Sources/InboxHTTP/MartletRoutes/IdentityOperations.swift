import HTTPCore
import InboxModel
import InboxWire

extension Shard {
    /// Installations, who is logged in on them, and sessions of browsers.
    static func identityOperations(_ limits: Limits) -> [Operation] {
        channels(limits) + logIns(limits) + sessions
    }

    private static func channels(_ limits: Limits) -> [Operation] {
        [
            Operation(.put, "/v1/channels/{channel}", "registerChannel", for: .app(registerChannel))
                .does(
                    "Register an installation",
                    "The client makes the UUID and the password, once. `user_id` and password are its credential from then on."
                )
                .path("channel", .uuid, "A UUID that the client made.")
                .takes(.channelRequest(limits))
                .answers(201, "It is registered.", .json(.registeredChannel))
                .answers(200, "It was registered before with this password.", .json(.registeredChannel))
                .refuses(409, "It was registered before with another password."),

            Operation(.delete, "/v1/channels/{channel}", "uninstallChannel", for: .device(uninstallChannel))
                .does("Remove the installation", "Its person is logged out, and its credential ends.")
                .path("channel", .uuid, "The device's own channel.")
                .answers(204, "It is removed.")
                .refuses(404, "The device has another channel."),
        ]
    }

    private static func logIns(_ limits: Limits) -> [Operation] {
        [
            Operation(.put, "/v1/session/named-user", "logIn", for: .device(logIn))
                .does(
                    "Log in on the device",
                    "In identity mode `verified` with a proof, a JWT that the app's backend signed. If it is refused, whoever else was logged in is logged out."
                )
                .takes(.logInRequest(limits))
                .answers(200, "The person is logged in.", .json(.standing))
                .refuses(403, "The claim is refused, or a session asks."),

            Operation(.delete, "/v1/session/named-user", "logOut", for: .reader(logOut))
                .does("Log out", "On a device; a session ends.")
                .answers(200, "Nobody is logged in on the device.", .json(.standing))
                .answers(204, "The session has ended."),
        ]
    }

    private static let sessions = [
        Operation(.post, "/v1/sessions", "openSession", for: .backend(.send, openSession))
            .does("Open a session of a person, for a browser", "The person is made if unknown.")
            .takes(.sessionRequest)
            .answers(201, "The session is open.", .json(.openedSession)),

        Operation(.delete, "/v1/sessions/{user_id}", "endSession", for: .backend(.send, endSession))
            .does("End a session")
            .path("user_id", .userID, "The session's `user_id`.")
            .answers(204, "It has ended.")
            .refuses(404, "No session of this app has the id, or it had ended."),
    ]
}

extension Schema {
    fileprivate static func channelRequest(_ limits: Limits) -> Schema {
        let characters = ChannelRequest.passwordCharacters
        return .named(
            "ChannelRequest",
            .request([
                .member(
                    "password",
                    .string(matching: "[A-Za-z0-9_-]{\(characters.lowerBound),\(characters.upperBound)}"),
                    "At least 128 random bits."),
                .member("device_type", .words(DeviceType.allCases.map(\.text))),
                .optional("opt_in", .nullable(.boolean)),
                .optional("background", .nullable(.boolean)),
                .optional("push_address", .nullable(.string)),
                .optional(
                    "tags", .nullable(.array(.string(1...limits.tagScalars), atMost: limits.tagsPerChannel)),
                    "The whole set of the device's tags."),
            ]))
    }

    fileprivate static let registeredChannel = Schema.object([
        .member("channel_id", .uuid), .member("user_id", .userID, "The name in the device's credential."),
    ])

    fileprivate static func logInRequest(_ limits: Limits) -> Schema {
        .named(
            "LogInRequest",
            .request([
                .member("named_user_id", .namedUserID),
                .optional("proof", .nullable(.string(0...limits.proofBytes)), "A JWT of HS256 or ES256."),
            ]))
    }

    fileprivate static let standing = Schema.object([
        .member("named_user_id", .nullable(.namedUserID)),
        .member("unread_count", .count),
        .member("cursor", .opaque, "Of the inbox after it."),
    ])

    fileprivate static let sessionRequest = Schema.named(
        "SessionRequest",
        .request([
            .member("named_user_id", .namedUserID),
            .optional(
                "expires_in", .nullable(.integer(SessionRequest.lives)),
                "Seconds; \(SessionRequest.usualLife) if absent."),
        ]))

    fileprivate static let openedSession = Schema.object([
        .member("token", .string, "For `Authorization: Bearer`; not shown again."),
        .member("user_id", .userID), .member("named_user_id", .namedUserID), .member("expires", .time),
    ])
}
