import HTTPCore
import InboxWire

/// One message to send, in the server's words.
struct Push {
    /// Nothing for everyone.
    let selector: (name: String, value: String)?
    let number: Int
    let lifeSeconds: Int64?

    fileprivate func write(_ composition: Composition, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("audience")
            if let selector {
                writer.object { $0.member(selector.name, selector.value) }
            } else {
                writer.value("all")
            }
            writer.member("device_types", ["ios", "android"])
            writer.object("message") { writer in
                writer.member("title", composition.title(number))
                writer.member("body", composition.body(number))
                writer.member("content_type", "text/html")
                writer.member("extra", composition.extra(number))
                if let lifeSeconds { writer.member("expiry", Int(lifeSeconds)) }
            }
        }
    }
}

/// The requests of a backend.
extension AppAccess {
    func push(_ pushes: [Push], _ composition: Composition) -> Request {
        let body = JSONWriter.bytes(capacity: 512 * pushes.count) { writer in
            if pushes.count == 1 { return pushes[0].write(composition, to: &writer) }
            writer.array { writer in for push in pushes { push.write(composition, to: &writer) } }
        }
        return Request(.post, "/api/push/", headers: backendHeaders(), body: body)
    }

    func recall(_ message: String) -> Request {
        Request(.delete, "/api/user/messages/\(message)/", headers: backendHeaders())
    }

    /// Logs a channel in as a person, or out with nil.
    func associate(_ kind: DeviceKind, channel: String, with person: String?) -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { writer in
                writer.member("channel_id", channel)
                writer.member("device_type", kind.rawValue)
                if let person { writer.member("named_user_id", person) }
            }
        }
        let name = person == nil ? "disassociate" : "associate"
        return Request(.post, "/api/named_users/\(name)/", headers: backendHeaders(), body: body)
    }
}
