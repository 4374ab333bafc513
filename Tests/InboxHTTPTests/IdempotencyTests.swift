import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform
import Postgres
import TestSupport
import Testing

/// Rule 17: under one key, one answer.
@Suite struct IdempotencyTests {
    private static let message = #""message": {"title": "T", "body": "B"}"#
    private static let all = #"{"audience": "all", \#(message)}"#

    @Test func `rule 17: a repeat under the key gives the first answer byte for byte and sends nothing`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let push =
                #"{"audience": {"channel": "\#(phone.channel)"}, "device_types": "all", \#(Self.message)}"#
            let notification =
                #"{"audience": {"named_user": "x"}, "device_types": "all", "notification": {"alert": "A"}}"#
            let requests = [
                ("/v1/messages", #"{"audience": {"named_user": "nobody"}, \#(Self.message)}"#, 1),
                ("/v1/messages", Self.all, 1), ("/api/push", push, 1),
                ("/api/push", "[\(push), \(notification), \(push)]", 2), ("/api/push", notification, 0),
            ]
            var sent = 0
            for (number, (target, body, messages)) in requests.enumerated() {
                let first = await stage.send(target, body, key: "key \(number)")
                #expect(first.status == 202)
                sent += messages
                for target in [target, target + "/"] {
                    let again = await stage.send(target, body, key: "key \(number)")
                    #expect(again.status == 202 && again.headers == first.headers)
                    #expect(again.body == first.body, "\(target)")
                }
                #expect(try await stage.messages() == sent)
                let other = await stage.send(target, body, key: "another \(number)")
                #expect(other.status == 202 && other.body != first.body)
                sent += messages
            }
            #expect(try await phone.list().ids.count == 2 * (1 + 1 + 2))
        }
    }

    @Test func `rule 17: another body or path under the key is refused`() async throws {
        try await DeviceStage.open { stage in
            #expect(await stage.send("/v1/messages", Self.all, key: "k").status == 202)
            let another = Self.all.replacing("\"T\"", with: "\"U\"")
            let refused = await stage.send("/v1/messages", another, key: "k")
            #expect(refused.status == 409)
            let problem = try JSON.parse(refused.body)
            #expect(problem["code"]?.text == "conflict")
            #expect(await stage.send("/v1/messages", "nonsense", key: "k").status == 409)
            let push = #"{"audience": "all", "device_types": "all", \#(Self.message)}"#
            #expect(await stage.send("/api/push", push, key: "k").status == 409)
            #expect(await stage.send("/api/push", Self.all, key: "k").status == 409)
            #expect(try await stage.messages() == 1)
            #expect(await stage.send("/v1/messages", Self.all, key: "k", in: stage.globex).status == 202)
        }
    }

    @Test func `a key is 1 to 255 printable characters, and stands there once`() async throws {
        try await DeviceStage.open { stage in
            let good = ["k", String(repeating: "k", count: 255)]
            for key in good { #expect(await stage.send("/v1/messages", Self.all, key: key).status == 202) }
            for key in ["", "é", String(repeating: "k", count: 256)] {
                let refused = await stage.send("/v1/messages", Self.all, key: key)
                #expect(refused.status == 400)
                let problem = try JSON.parse(refused.body)
                #expect(problem["field"]?.text == "Idempotency-Key")
                #expect(problem["limit"]?["value"]?.integer == (key.count == 256 ? 255 : nil))
            }
            let twice: Headers = ["Idempotency-Key": "a", "idempotency-key": "b"]
            #expect(await stage.send("/v1/messages", Self.all, twice).status == 400)
            #expect(try await stage.messages() == 2)
        }
    }

    @Test(arguments: [false, true])
    func `rule 17: two at once get one answer`(areInstances: Bool) async throws {
        try await DeviceStage.open { stage in
            try await stage.onAnotherInstance { second in
                let other = areInstances ? second : stage
                for round in 0..<15 {
                    async let one = stage.send("/v1/messages", Self.all, key: "round \(round)")
                    async let two = other.send("/v1/messages", Self.all, key: "round \(round)")
                    let answers = await [one, two]
                    #expect(answers.map(\.status) == [202, 202])
                    #expect(answers[0].body == answers[1].body)
                }
            }
            #expect(try await stage.messages() == 15)
        }
    }

    @Test func `rule 17: a send that failed leaves no key`() async throws {
        let plan = FaultPlan()
        try await ServerStage.open(faults: plan) { stage in
            func send(_ body: String) async -> Answer {
                await stage.call(
                    .post, "/v1/messages", as: stage.acme.master, body, headers: ["Idempotency-Key": "k"])
            }
            #expect(await send(#"{"audience": "all"}"#).status == 400)
            plan.fail(call: 3, with: .unavailable("away"))
            #expect(await send(Self.all).status == 503)
            #expect(plan.hasFailed)
            let first = await send(Self.all)
            #expect(first.status == 202)
            #expect(await send(Self.all).text == first.text)
            #expect(await send(#"{"audience": "all"}"#).status == 409)
        }
    }

    @Test func `a dry run keeps no key`() async throws {
        try await DeviceStage.open { stage in
            let dry = #"{"audience": "all", "dry_run": true, \#(Self.message)}"#
            #expect(await stage.send("/v1/messages", dry, key: "k").status == 200)
            #expect(await stage.send("/v1/messages", Self.all, key: "k").status == 202)
            #expect(await stage.send("/v1/messages", dry, key: "k").status == 409)
        }
    }

    @Test func `rule 17: a key holds for 24 hours, also when what was sent is over by then`() async throws {
        try await DeviceStage.open { stage in
            try await stage.stopClock(at: 1_900_000_000)
            let end = Instant(seconds: 1_900_003_600).secondsText
            let body = #"{"audience": "all", "message": {"title": "T", "body": "B", "expiry": "\#(end)"}}"#
            let first = await stage.send("/v1/messages", body, key: "k")
            #expect(first.status == 202)
            let other = await stage.send("/v1/messages", Self.all, key: "other")
            try await stage.stopClock(at: 1_900_000_000 + 86_399)
            #expect(await stage.send("/v1/messages", body, key: "k").body == first.body)
            #expect(await stage.send("/v1/messages", body, key: "another").status == 400, "in the past")
            try await stage.stopClock(at: 1_900_000_000 + 86_400)
            let next = await stage.send("/v1/messages", Self.all, key: "other")
            #expect(next.status == 202 && next.body != other.body)
            #expect(await stage.send("/v1/messages", Self.all, key: "other").body == next.body)
            let sent = try await stage.messages()
            #expect(sent == 3)
        }
    }

    @Test func `rule 17: a send whose commit was not heard of is repeated by its key and shows once`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let body =
                #"{"audience": {"channel": "\#(phone.channel)"}, "device_types": "all", \#(Self.message)}"#
            try await Proxy.open(to: stage.url) { proxy in
                try await stage.onAnotherInstance(sendingTo: proxy.connectionString) { other in
                    #expect(await other.send("/v1/messages", body, key: "warm").status == 202)
                    for (number, target) in ["/v1/messages", "/api/push"].enumerated() {
                        proxy.set(.cutNextAnswer)
                        let lost = await other.send(target, body, key: "key \(number)")
                        #expect(lost.status == 503)
                        #expect(lost.text.contains("same Idempotency-Key"))
                        let again = await other.send(target, body, key: "key \(number)")
                        #expect(again.status == 202)
                        #expect(await stage.send(target, body, key: "key \(number)").body == again.body)
                        let (sent, shown) = (try await stage.messages(), try await phone.list().ids.count)
                        #expect(sent == number + 2 && shown == number + 2)
                    }
                }
            }
        }
    }
}

extension DeviceStage {
    /// A request of an app's backend under a key.
    fileprivate func send(
        _ target: String, _ body: String, key: String, in app: App? = nil
    ) async -> Response {
        await send(target, body, ["Idempotency-Key": key], in: app)
    }

    fileprivate func send(
        _ target: String, _ body: String, _ headers: Headers, in app: App? = nil
    ) async -> Response {
        let app = app ?? acme
        return await call(.post, target, App.basic(app.key, app.masterSecret), body, headers: headers)
    }

    /// How many messages were sent.
    fileprivate func messages() async throws -> Int {
        try await onDatabaseThread { [url] in
            Int(try AdminConnection(url).value("SELECT count(*) FROM messages", as: Int64.self))
        }
    }
}
