import Crypto
import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

/// A key that a backend signs proofs with.
struct Signer: Sendable {
    let app: String
    let secret: [UInt8]
    let id: String

    init(_ stage: DeviceStage, _ app: DeviceStage.App) async throws {
        let key = try await stage.hs256Key(of: app)
        (self.app, secret, id) = (app.key, key.secret, key.id.text)
    }

    /// A token for a person, issued now and good for an hour; `claims` are added, or stand instead.
    func proof(for person: String, _ claims: [String: String] = [:]) -> String {
        let now = Int64(Date(timeIntervalSinceNow: 0).timeIntervalSince1970)
        let plain = [
            "sub": "\"\(person)\"", "aud": "\"\(app)\"", "iat": "\(now)", "exp": "\(now + 3600)",
        ]
        let members = plain.merging(claims) { $1 }.map { "\"\($0.key)\":\($0.value)" }
        let parts = [#"{"alg":"HS256","kid":"\#(id)"}"#, "{\(members.joined(separator: ","))}"]
        let signed = parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let code = HMACSHA256.code(key: secret, message: Array(signed.utf8))
        return "\(signed).\(Base64URL.encode(code))"
    }
}

extension Phone {
    /// Logs in under `/v1`.
    func logIn(as name: String, proof: String? = nil) async -> Response {
        let shown = proof.map { #","proof":"\#($0)""# } ?? ""
        return await stage.call(
            .put, "/v1/session/named-user", basic, #"{"named_user_id":"\#(name)"\#(shown)}"#)
    }

    func logOut() async -> Response { await stage.call(.delete, "/v1/session/named-user", basic) }

    /// Who is logged in, as the backend sees it; null is nobody.
    var person: JSON {
        get async throws {
            let master = DeviceStage.App.basic(app.key, app.masterSecret)
            let answer = await stage.call(.get, "/api/channels/\(channel)", master)
            try #require(answer.status == 200, "\(answer.text)")
            return try answer.json["channel"]?["named_user_id"] ?? .null
        }
    }
}

extension DeviceStage {
    /// Opens a session under `/v1`; its token and `user_id`.
    func session(of person: String, in app: App) async throws -> (token: String, user: String) {
        let master = App.basic(app.key, app.masterSecret)
        let answer = await call(.post, "/v1/sessions", master, #"{"named_user_id":"\#(person)"}"#)
        try #require(answer.status == 201, "\(answer.text)")
        let json = try answer.json
        return (
            try #require(json["token"]?.asText), try #require(json["user_id"]?.asText)
        )
    }
}
