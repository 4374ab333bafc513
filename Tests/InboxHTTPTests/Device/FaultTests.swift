import Crypto
import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Platform
import TestSupport
import Testing

@Suite struct FaultTests {
    private static let user = UserID(app: AppID(rawValue: 1), key: 7)
    private static let appKey = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let channel = "2c6f9a2e-8c58-4f0e-9c19-6a0b6c1d2e3f"

    private struct Stage: Sendable {
        let store: ScriptedStore
        let shard: Shard
        let lines: Lock<[String]>

        func call(_ method: HTTPCore.Method, _ path: String, _ authorization: String?, _ body: String = "")
            async -> Response
        {
            var headers: Headers = ["Host": "localhost", "X-UA-Channel-ID": FaultTests.channel]
            if let authorization { headers.add("Authorization", authorization) }
            return await shard.answered(Request(method, path, headers: headers, body: Array(body.utf8)))
        }
    }

    private static func onStage(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        try await withLoop { loop in
            let (key, _) = SecretKey.generate()
            let lines = Lock<[String]>([])
            var configuration = ShardConfiguration(key: key, version: "test")
            configuration.log = { line in lines.withLock { $0.append(line) } }
            let state = ViewState(
                device: InboxID(rawValue: 1), deviceRevision: Revision(rawValue: 1), person: nil,
                personRevision: Revision(rawValue: 0), app: (Revision(rawValue: 1), Revision(rawValue: 1)))
            let reader = Reader(
                user: user, state: state, deviceTypes: .all, baseline: Revision(rawValue: 0),
                now: Instant(seconds: 1_900_000_000))
            let app = AppCredentials(
                app: AppID(rawValue: 1), key: try #require(AppKey(text: appKey)),
                revisions: (Revision(rawValue: 1), Revision(rawValue: 1)), modes: (.devices, .trusted),
                secrets: [
                    AppCredentials.Secret(kind: .app, digest: SHA256.digest("s"), sealed: []),
                    AppCredentials.Secret(kind: .master, digest: SHA256.digest("m"), sealed: []),
                ], now: reader.now)
            let store = ScriptedStore(
                Credential(passwordDigest: SHA256.digest("p"), reader: reader, stored: nil), app)
            try await body(
                Stage(
                    store: store, shard: Shard(loop: loop, store: store, configuration: configuration),
                    lines: lines))
        }
    }

    private static let basicUser = DeviceStage.App.basic(user.text, "p")
    private static let basicApp = DeviceStage.App.basic(appKey, "s")

    /// Method, path, credentials, body and what the answer is without a fault.
    private static let calls: [(HTTPCore.Method, String, String, String, Int)] = [
        (.get, "/api/user/\(user.text)/messages/", basicUser, "", 200),
        (.post, "/api/user/\(user.text)/messages/unread/", basicUser, #"{"messages":["\#(appKey)"]}"#, 200),
        (.post, "/api/user/\(user.text)/messages/delete/", basicUser, #"{"messages":["\#(appKey)"]}"#, 200),
        (.get, "/api/user/messages/message/\(appKey)/body/", basicUser, "", 404),
        (.post, "/api/user/\(user.text)/", basicUser, #"{"ios_channels":{"add":["\#(channel)"]}}"#, 200),
        (.post, "/api/user/", basicApp, #"{"ios_channels":["\#(channel)"]}"#, 201),
        (.post, "/api/channels/", basicApp, #"{"channel":{"device_type":"ios"}}"#, 201),
        (.put, "/api/channels/\(channel)", basicApp, #"{"channel":{}}"#, 200),
        (.get, "/api/auth/device", basicApp, "", 200),
        (
            .post, "/api/contacts/identify/v2", basicApp,
            #"{"action":{"type":"identify","named_user_id":"a"}}"#, 200
        ),
        (
            .post, "/api/named_users/associate", basicApp,
            #"{"channel_id":"\#(channel)","named_user_id":"a"}"#, 200
        ),
        (.get, "/api/remote-data/app/\(appKey)/ios", basicApp, "", 200),
        (.get, "/readyz", basicApp, "", 200),
    ]

    @Test(arguments: calls.indices)
    func `a fault of ours at any step is 503 with a reference, never 401 or 404`(index: Int) async throws {
        try await Self.onStage { stage in
            let (method, path, authorization, body, expected) = Self.calls[index]
            var step = 1
            while step < 20 {
                stage.store.fail(from: step, with: .unavailable("down"))
                let answer = await stage.call(method, path, authorization, body)
                if answer.status == expected { break }
                #expect(answer.status == 503 && answer.headers["retry-after"] != nil, "step \(step)")
                step += 1
            }
            #expect(step > 1 && step < 20, "each call asks the store, and passes at last")
            let lines = stage.lines.withLock { $0 }
            #expect(lines.count == step - 1)
        }
    }

    @Test func `a fault is logged once under the reference that the caller gets, without what was sent`()
        async throws
    {
        try await Self.onStage { stage in
            for (fault, status) in [
                (StoreFault.unavailable("the pool is full"), 503), (.outcomeUnknown, 503),
                (.broken("bug"), 500),
            ] {
                stage.lines.withLock { $0 = [] }
                stage.store.fail(from: 1, with: fault)
                let answer = await stage.call(.get, "/api/user/\(Self.user.text)/messages", Self.basicUser)
                #expect(answer.status == status)
                let reference = try #require(try answer.json["operation_id"]?.asText)
                let lines = stage.lines.withLock { $0 }
                #expect(lines.count == 1 && lines[0].contains(reference))
                #expect(!lines[0].contains(Self.user.text) && !answer.text.contains("pool"))
            }
        }
    }

    @Test func `after a fault the next call is answered as if nothing had been`() async throws {
        try await Self.onStage { stage in
            let path = "/api/user/\(Self.user.text)/messages"
            for step in 1...4 {
                stage.store.fail(from: step, with: .unavailable("down"))
                _ = await stage.call(.get, path, Self.basicUser)
                stage.store.fail(from: .max, with: .outcomeUnknown)
                #expect(await stage.call(.get, path, Self.basicUser).status == 200)
            }
        }
    }
}
