import HTTPCore
import InboxModel
import InboxWire
import ReferenceInbox

/// What only histories and worlds ask, in words of the reference.
extension AppCalls {
    func change(to settings: ReferenceInbox.Settings) -> Request {
        request(.patch, "/v1/app", as: backend) { body in
            body.member("delivery_mode", settings.keepsWithPeople ? "person" : "devices")
            body.member("identity_mode", settings.trustsDevices ? "trusted" : "verified")
            body.member("filter_mode", settings.filters ? "server" : "off")
            body.member("filter_untargeted", settings.showsUntargeted)
            body.member("inbox_cap", settings.cap)
        }
    }

    func send(_ sending: Sending, to audience: Audience) -> Request {
        var request = request(.post, "/v1/messages", as: backend) { body in
            body.name("audience")
            body.value(audience)
            if sending.types != .all {
                let types = DeviceType.allCases.filter { sending.types.contains(DeviceTypes($0)) }
                body.member("device_types", types.map(\.text))
            }
            body.object("message") { message in
                message.member("title", sending.title)
                message.member("body", sending.body)
                message.member("content_type", Sending.contentType)
                message.member("extra", sending.extra)
                if let seconds = sending.seconds { message.member("expiry", Int(seconds)) }
            }
        }
        request.headers.add("Idempotency-Key", "\(sending.title)-of-this-history")
        return request
    }

    func mark(
        _ mark: ReferenceInbox.Mark, _ ids: [String], of user: UserID, through surface: Surface,
        as authorization: String
    ) -> Request {
        switch surface {
        case .martlet:
            request(.post, "/v1/inbox/\(mark.rawValue)", as: authorization) { $0.member("ids", ids) }
        case .device:
            request(
                .post, "/api/user/\(user.text)/messages/\(mark == .read ? "unread" : "delete")/",
                as: authorization
            ) { body in
                body.array("messages") { list in
                    for id in ids { list.object { $0.member("message_id", id) } }
                }
            }
        }
    }

    func markAll(_ mark: ReferenceInbox.Mark, upTo cursor: String, as authorization: String) -> Request {
        request(.post, "/v1/inbox/\(mark.rawValue)", as: authorization) { body in
            body.member("all", true)
            body.member("up_to", cursor)
        }
    }
}

extension Sending {
    var title: String { "m\(number)" }
    var body: String { "<p>\(title)</p>" }
    static let contentType = "text/html"

    var extra: [String: String] {
        var extra = ["number": String(number)]
        if let named { extra["named_user_id"] = World.people[named].text }
        if let tag { extra["tag"] = World.tags[tag] }
        return extra
    }
}

extension JSONWriter {
    /// An audience as selectors.
    fileprivate mutating func value(_ audience: Audience) {
        switch audience {
        case .everyone: value("all")
        case .channels(let ids, let type):
            object { $0.member(type.map { "\($0.text)_channel" } ?? "channel", ids.map(\.text)) }
        case .namedUsers(let people): object { $0.member("named_user", people.map(\.text)) }
        case .tags(let tags, let group):
            object { selector in
                selector.member("tag", tags)
                selector.member("group", group)
            }
        case .all(let parts): compound("and", parts)
        case .any(let parts): compound("or", parts)
        case .not(let part):
            object { selector in
                selector.name("not")
                selector.value(part)
            }
        }
    }

    private mutating func compound(_ word: String, _ parts: [Audience]) {
        object { selector in
            selector.array(word) { list in for part in parts { list.value(part) } }
        }
    }
}
