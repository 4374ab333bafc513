import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct FaultTests {
    private static let (user, appKey) = (ScriptedStage.user.text, ScriptedStage.appKey)
    private static let channel = ScriptedStage.channel
    private static let (basicUser, basicApp) = (ScriptedStage.basicUser, ScriptedStage.basicApp)

    /// Method, path, credentials, body and what the answer is without a fault.
    private static let calls: [(HTTPCore.Method, String, String, String, Int)] = [
        (.get, "/api/user/\(user)/messages/", basicUser, "", 200),
        (.post, "/api/user/\(user)/messages/unread/", basicUser, #"{"messages":["\#(appKey)"]}"#, 200),
        (.post, "/api/user/\(user)/messages/delete/", basicUser, #"{"messages":["\#(appKey)"]}"#, 200),
        (.get, "/api/user/messages/message/\(appKey)/body/", basicUser, "", 404),
        (.post, "/api/user/\(user)/", basicUser, #"{"ios_channels":{"add":["\#(channel)"]}}"#, 200),
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
        (
            .put, "/v1/channels/\(channel)", basicApp,
            #"{"password":"AAAAAAAAAAAAAAAAAAAAAA","device_type":"web","tags":["t"]}"#, 201
        ),
        (.delete, "/v1/channels/\(channel)", basicUser, "", 404),
        (.put, "/v1/session/named-user", basicUser, #"{"named_user_id":"a"}"#, 200),
        (.delete, "/v1/session/named-user", basicUser, "", 200),
        (.post, "/v1/sessions", ScriptedStage.basicMaster, #"{"named_user_id":"a"}"#, 201),
        (.delete, "/v1/sessions/\(user)", ScriptedStage.basicMaster, "", 404),
    ]

    @Test(arguments: calls.indices)
    func `a fault of ours at any step is 503 with a reference, never 401 or 404`(index: Int) async throws {
        try await ScriptedStage.open { stage in
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
            #expect(stage.takeLog().count == step - 1)
        }
    }

    @Test func `a fault is logged once under the reference that the caller gets, without what was sent`()
        async throws
    {
        try await ScriptedStage.open { stage in
            for (fault, status) in [
                (StoreFault.unavailable("the pool is full"), 503), (.outcomeUnknown, 503),
                (.broken("bug"), 500),
            ] {
                stage.store.fail(from: 1, with: fault)
                let answer = await stage.call(.get, "/api/user/\(Self.user)/messages", Self.basicUser)
                #expect(answer.status == status)
                let reference = try #require(try answer.json["operation_id"]?.asText)
                let lines = stage.takeLog()
                #expect(lines.count == 1 && lines[0].contains(reference))
                #expect(!lines[0].contains(Self.user) && !answer.text.contains("pool"))
            }
        }
    }

    @Test func `after a fault the next call is answered as if nothing had been`() async throws {
        try await ScriptedStage.open { stage in
            let path = "/api/user/\(Self.user)/messages"
            for step in 1...4 {
                stage.store.fail(from: step, with: .unavailable("down"))
                _ = await stage.call(.get, path, Self.basicUser)
                stage.store.fail(from: .max, with: .outcomeUnknown)
                #expect(await stage.call(.get, path, Self.basicUser).status == 200)
            }
        }
    }
}
