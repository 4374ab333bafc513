import ClientCore
import Crypto
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import TestSupport
import Testing

/// A device on which an app with the client library is installed: what it keeps outlives the app's process.
struct AppDevice {
    let store = KeptStore()

    /// Starts the app; it talks to `server` over `URLSession`.
    func start(
        _ app: AppSecrets, at server: Server, _ change: (inout InboxConfiguration) -> Void = { _ in }
    ) async throws -> Inbox {
        var configuration = InboxConfiguration(
            server: try #require(URL(string: "\(server.base)")), appKey: app.key, appSecret: app.app,
            folder: URL(fileURLWithPath: try TestFolder.path()))
        change(&configuration)
        return try await Inbox(configuration, store: store)
    }

    /// Starts the app, which has then fetched its inbox and watches for changes.
    func startWatching(_ app: AppSecrets, at server: Server) async throws -> Inbox {
        let inbox = try await start(app, at: server)
        await inbox.startWatching()
        #expect(await inbox.refresh())
        return inbox
    }
}

/// A store of which an app may let go, and which the next one finds as it was.
final class KeptStore: LocalStore {
    private let inner = MemoryStore()

    func load() throws -> StoredInbox { try inner.load() }

    func save(_ changes: [StoreChange]) throws { try inner.save(changes) }

    func replace(_ inbox: StoredInbox) throws { try inner.replace(inbox) }

    func close() {}
}

extension Inbox {
    /// Waits until what is shown is as a test wants it.
    nonisolated func shows(_ isRight: ([InboxMessage]) -> Bool) async {
        for await messages in messageUpdates where isRight(messages) { return }
    }

    /// Waits until these titles are shown, the newest first.
    nonisolated func shows(_ titles: String...) async { await shows { $0.map(\.title) == titles } }

    /// Waits until the server has the login of this device, and everything that was done on it.
    nonisolated func isTold() async throws { #expect(await refresh()) }

    /// The channel that messages to this device go to.
    nonisolated func channel(_ store: KeptStore) throws -> String {
        try #require(try store.load().installation).serverChannel.text
    }
}

extension Server {
    /// Sends a message to an audience, given as JSON; its id.
    @discardableResult
    func send(_ title: String, to audience: String, of app: AppSecrets, also more: String = "") async throws
        -> String
    {
        let answer = try await call(
            .post, "/v1/messages", app.key, app.master,
            #"{"audience":\#(audience),"message":{"title":"\#(title)","body":"<p>\#(title)</p>"\#(more)}}"#)
        try #require(answer.status == 202, "\(answer.json)")
        return answer.text("message_id")
    }
}

extension Installation {
    /// Makes a key of proofs for the app `name`; signs what a person's device shows at a login.
    func makeProofKey(_ name: String) async throws -> ProofKey {
        let made = try await martlet("key", "create", name, "hs256", "--json")
        try #require(made.code == 0, "\(made.errors)")
        return ProofKey(
            id: made.text("id"), secret: try #require(Base64URL.decode(Array(made.text("secret").utf8)[...])))
    }
}

/// What an app's backend signs proofs with.
struct ProofKey: Sendable {
    let id: String
    let secret: [UInt8]

    /// A proof that a device may log `person` in, from `now` for ten minutes.
    func proof(of person: String, for app: AppSecrets, at now: Int64) -> String {
        let header = part(#"{"alg":"HS256","typ":"JWT","kid":"\#(id)"}"#)
        let claims = part(#"{"sub":"\#(person)","aud":"\#(app.key)","iat":\#(now),"exp":\#(now + 600)}"#)
        let code = HMACSHA256.code(key: secret, message: Array("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(Base64URL.encode(code))"
    }

    private func part(_ json: String) -> String { Base64URL.encode(Array(json.utf8)) }
}
