import Crypto
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import Platform
import TestSupport
import Testing

/// A shard over a scripted store that knows one user and one app.
struct ScriptedStage: Sendable {
    let store: ScriptedStore
    let shard: Shard
    private let lines: Lock<[String]>

    static let user = UserID(app: AppID(rawValue: 1), key: 7)
    static let appKey = "AAAAAAAAAAAAAAAAAAAAAA"
    static let channel = "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"
    /// Credentials of the user.
    static let basicUser = DeviceStage.App.basic(user.text, "p")
    /// The app's secret.
    static let basicApp = DeviceStage.App.basic(appKey, "s")
    /// The app's master secret.
    static let basicMaster = DeviceStage.App.basic(appKey, "m")

    /// Opens a stage for as long as `body` runs.
    static func open(_ body: @escaping @Sendable (ScriptedStage) async throws -> Void) async throws {
        try await withLoop { loop in
            let lines = Lock<[String]>([])
            var configuration = ShardConfiguration(key: SecretKey.generate().key, version: "1.2.3")
            configuration.log = { line in lines.withLock { $0.append(line) } }
            let store = try scriptedStore()
            let shard = Shard(loop: loop, store: store, configuration: configuration)
            try await body(ScriptedStage(store: store, shard: shard, lines: lines))
        }
    }

    private static func scriptedStore() throws -> ScriptedStore {
        let one = Revision(rawValue: 1)
        let state = ViewState(
            device: InboxID(rawValue: 1), deviceRevision: one, person: nil,
            personRevision: Revision(rawValue: 0), app: (one, one))
        let reader = Reader(
            user: user, state: state, deviceTypes: .all, baseline: Revision(rawValue: 0),
            now: Instant(seconds: 1_900_000_000))
        let app = AppCredentials(
            app: AppID(rawValue: 1), key: try #require(AppKey(text: appKey)), revisions: (one, one),
            modes: (.devices, .trusted),
            secrets: [
                AppCredentials.Secret(
                    id: SecretID(rawValue: 1), kind: .app, digest: SHA256.digest("s"), sealed: []),
                AppCredentials.Secret(
                    id: SecretID(rawValue: 2), kind: .master, digest: SHA256.digest("m"), sealed: []),
            ], now: reader.now)
        let credential = Credential(passwordDigest: SHA256.digest("p"), reader: reader, stored: nil)
        return ScriptedStore(credential, app)
    }

    func call(
        _ method: HTTPCore.Method, _ path: String, _ authorization: String? = nil, _ body: String = "",
        host: String = "localhost"
    ) async -> Response {
        var headers: Headers = ["Host": host, "X-UA-Channel-ID": ScriptedStage.channel]
        if let authorization { headers.add("Authorization", authorization) }
        return await shard.answered(Request(method, path, headers: headers, body: Array(body.utf8)))
    }

    /// What was logged since this was last asked.
    func takeLog() -> [String] {
        lines.withLock { lines in
            let taken = lines
            lines = []
            return taken
        }
    }
}
