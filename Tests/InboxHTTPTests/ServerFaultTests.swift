import HTTPCore
import InboxModel
import InboxService
import InboxWire
import TestSupport
import Testing

struct ServerFaultTests {
    @Test func `whichever call of the store fails, the answer is 503 with a reference, and again it is 2xx`()
        async throws
    {
        let plan = FaultPlan()
        try await ServerStage.open(faults: plan) { stage in
            let id = try await stage.device(stage.acme).channel.text
            for (method, target, body) in requests(channel: id) {
                for number in 1... {
                    plan.fail(call: number, with: .unavailable("the database is away"))
                    let answer = await stage.call(method, target, as: stage.acme.master, body)
                    guard plan.hasFailed else {
                        #expect((200..<300).contains(answer.status), "\(target): \(answer.text)")
                        break
                    }
                    #expect(answer.status == 503, "\(target), call \(number)")
                    #expect(answer.response.headers["retry-after"] == "1")
                    let name = target.hasPrefix("/v1") ? "reference" : "operation_id"
                    let reference = try #require(answer.json[name]?.text)
                    #expect(plan.log == ["fault \(reference): store unavailable: the database is away"])
                    #expect(!answer.text.contains("database is away"), "faults are told to the log alone")
                }
            }
        }
    }

    @Test func `a send of which nobody knows says so`() async throws {
        let plan = FaultPlan()
        try await ServerStage.open(faults: plan) { stage in
            plan.fail(call: 2, with: .outcomeUnknown)
            let pushed = await stage.call(.post, "/api/push", as: stage.acme.master, push(#""all""#))
            #expect(pushed.status == 503)
            #expect(pushed.json["error_code"]?.integer == 50301)
            #expect(pushed.json["details"]?["error"]?.text?.contains("may have been carried out") == true)
            plan.fail(call: 2, with: .outcomeUnknown)
            let text = #"{"audience": "all", "message": {"title": "T", "body": "B"}}"#
            let sent = await stage.call(.post, "/v1/messages", as: stage.acme.master, text)
            #expect(sent.status == 503)
            #expect(sent.json["code"]?.text == "outcome_unknown")
        }
    }

    @Test func `a store that is broken is 500, never 401 or 404`() async throws {
        let plan = FaultPlan()
        try await ServerStage.open(faults: plan) { stage in
            for number in 1...2 {
                plan.fail(call: number, with: .broken("relation is missing"))
                let answer = await stage.call(
                    .get, "/api/channels/00112233-4455-6677-8899-aabbccddeeff", as: stage.acme.master)
                #expect(answer.status == 500)
                #expect(answer.json["error_code"]?.integer == 50000)
                #expect(plan.log.count == 1)
            }
        }
    }

    /// One request of each route, each of which succeeds, in an order in which they can.
    private func requests(channel: String) -> [(HTTPCore.Method, String, String)] {
        let notification = #"{"audience": {"named_user": "x"}, "device_types": "all", "notification": {}}"#
        let message = #""message": {"title": "T", "body": "B"}"#
        return [
            (.post, "/api/push", #"[\#(push(#"{"channel": "\#(channel)"}"#)), \#(notification)]"#),
            (.post, "/api/push/validate", push(#""all""#)),
            (.post, "/api/named_users/associate", #"{"channel_id": "\#(channel)", "named_user_id": "ana"}"#),
            (.get, "/api/named_users?id=ana", ""),
            (.post, "/api/named_users/tags", #"{"audience": {"named_user_id": "ana"}, "add": {"g": "t"}}"#),
            (.post, "/api/named_users/disassociate", #"{"channel_id": "\#(channel)"}"#),
            (.get, "/api/channels/\(channel)", ""),
            (.post, "/api/channels/tags", #"{"audience": {"channel": "\#(channel)"}, "add": {"g": "t"}}"#),
            (.post, "/v1/messages", #"{"audience": "all", \#(message)}"#),
            (.post, "/v1/messages", #"{"audience": "all", "dry_run": true, \#(message)}"#),
            (.get, "/v1/messages", ""),
        ]
    }
}
