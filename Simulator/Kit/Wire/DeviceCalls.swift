import Foundation
import HTTPCore
import InboxWire

/// The requests of a device, as a stock library makes them.
extension AppAccess {
    func createChannel(_ kind: DeviceKind, tags: [String], nonce: Nonce) -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { writer in
                writer.object("channel") { writer in
                    writer.member("device_type", kind.rawValue)
                    writer.member("opt_in", true)
                    writer.member("background", true)
                    writer.member("is_activity", true)
                    writer.member("set_tags", true)
                    writer.member("tags", tags)
                    writer.member("locale_language", "en")
                    writer.member("timezone", "Europe/Stockholm")
                    writer.member("sdk_version", kind.version)
                }
            }
        }
        return Request(
            .post, "/api/channels/", headers: signedHeaders(kind, nonce: nonce, isBodied: true), body: body)
    }

    func deviceToken(_ kind: DeviceKind, channel: String, nonce: Nonce) -> Request {
        Request(
            .get, "/api/auth/device",
            headers: signedHeaders(kind, channel: channel, nonce: nonce, isBodied: false))
    }

    func createUser(_ kind: DeviceKind, channel: String, token: String) -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { $0.member("\(kind.rawValue)_channels", [channel]) }
        }
        return Request(
            .post, "/api/user/", headers: tokenHeaders(kind, channel: channel, token: token), body: body)
    }

    /// Logs in as a person, or out with nil.
    func identify(_ kind: DeviceKind, channel: String, as person: String?, nonce: Nonce) -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { writer in
                writer.member("device_info", ["device_type": kind.rawValue])
                writer.object("action") { writer in
                    writer.member("type", person == nil ? "reset" : "identify")
                    if let person { writer.member("named_user_id", person) }
                }
            }
        }
        return Request(
            .post, "/api/contacts/identify/v2",
            headers: signedHeaders(kind, channel: channel, nonce: nonce, isBodied: true), body: body)
    }

    func list(_ kind: DeviceKind, _ user: InboxUser, channel: String, since validator: String?) -> Request {
        var headers = deviceHeaders(kind, channel: channel)
        headers.add("Authorization", user.authorization)
        if let validator { headers.add("If-Modified-Since", validator) }
        return Request(.get, "/api/user/\(user.id)/messages/", headers: headers)
    }

    /// - Parameter batch: JSON values, as messages delivered them; anything else must do no harm.
    func mark(
        _ mark: Mark, _ kind: DeviceKind, _ user: InboxUser, channel: String, batch: [[UInt8]]
    ) -> Request {
        var headers = deviceHeaders(kind, channel: channel, isBodied: true)
        headers.add("Authorization", user.authorization)
        let body = JSONWriter.bytes { writer in
            writer.object { writer in
                writer.array("messages") { writer in for value in batch { writer.raw(value) } }
            }
        }
        let name = mark == .read ? "unread" : "delete"
        return Request(.post, "/api/user/\(user.id)/messages/\(name)/", headers: headers, body: body)
    }

    /// The page that a device shows for a message.
    func body(at target: String, _ user: InboxUser) -> Request {
        var headers = Headers()
        headers.add("User-Agent", "Mozilla/5.0")
        headers.add("Authorization", user.authorization)
        return Request(.get, target, headers: headers)
    }
}

/// The credential of an installation.
package struct InboxUser: Sendable {
    package let id: String
    /// The value of its `Authorization` header.
    package let authorization: String

    package init(id: String, password: String) {
        self.id = id
        authorization = "Basic " + Data("\(id):\(password)".utf8).base64EncodedString()
    }
}
