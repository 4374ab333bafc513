import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// What SDKs send besides, and would repeat for ever if it failed: taken, and not kept.
    static func absorbedRoutes(into router: inout Router<Route>) {
        // Reports about the app's use: nobody is asked who he is, since nothing is done with them.
        for path in ["/warp9", "/api/metered-usage"] {
            router.add(.post, path, Route(.device, fixed: .ok))
        }
        let ok = accepted(.ok)
        router.add(.post, "/api/contacts/{contact}", ok)
        router.add(.post, "/api/channels/resend", ok)
        router.add(
            .get, "/api/contacts/associated_types/{contact}",
            accepted(.json(Array(#"{"ok":true,"channels":[]}"#.utf8))))
        let noLists = accepted(.json(Array(#"{"ok":true,"list_ids":[]}"#.utf8)))
        router.add(.get, "/api/subscription_lists/channels/{channel}", noLists)
        router.add(.get, "/api/subscription_lists/contacts/{contact}", noLists)
        router.add(.post, "/api/contacts/disassociate/{contact}", acceptedChannel)
        for type in ["email", "sms", "open"] {
            router.add(.post, "/api/channels/restricted/\(type)", acceptedChannel)
        }
    }

    /// The same answer to every device of an app.
    private static func accepted(_ response: Response) -> Route {
        Route(.device) { shard, call in
            try await shard.requireDevice(call)
            return response
        }
    }

    /// SDKs want a channel id here: one that leads nowhere, since such channels are not kept.
    private static let acceptedChannel = Route(.device) { shard, call in
        try await shard.requireDevice(call)
        return .json { body in
            body.member("ok", true)
            body.member("channel_id", ChannelID(UUID()).text)
        }
    }

    /// Lets pass whoever has any proof of an app's devices, the token of a contact included.
    private func requireDevice(_ call: Call) async throws {
        if case .bearer(let token)? = Authorization(call.request), call.request.headers["x-ua-nonce"] == nil {
            let tokens = tokens(try await namedApp(call))
            guard tokens.channel(of: token) != nil || tokens.contact(of: token) != nil else {
                throw InboxError.unauthorized
            }
        } else {
            _ = try await deviceCaller(call)
        }
    }
}
