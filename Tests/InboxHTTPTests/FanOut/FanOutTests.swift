import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Postgres
import TestSupport
import Testing

/// Rule 9: audiences that are too large for one request.
@Suite struct FanOutTests {
    @Test func `rule 9: five thousand get it in chunks, each once, and the progress can be read`()
        async throws
    {
        try await DeviceStage.open { stage in
            let first = try await stage.phone(tag: "all")
            try await stage.crowd(4998, tag: "all")
            let last = try await stage.phone(tag: "all")
            let other = try await stage.phone(tag: "other")
            let sent = try await stage.send(to: #"{"tag": "all"}"#)
            #expect(sent["state"]?.asText == "delivering")
            #expect(sent["recipients"]?.integer == 5000 && sent["estimate"]?.integer == 5000)
            let id = try #require(sent["message_id"]?.asText)
            try await stage.withDeliverer(chunk: 500) { deliverer in
                var shown = try await stage.shown(id)
                #expect(shown["state"]?.asText == "delivering" && shown["recipients"]?.integer == 0)
                #expect(shown["progress"]?["estimate"]?.integer == 5000)
                for chunk in 1...9 {
                    try await deliverer.take()
                    shown = try await stage.shown(id)
                    #expect(shown["progress"]?["delivered"]?.integer == Int64(500 * chunk))
                    #expect(shown["recipients"]?.integer == Int64(500 * chunk))
                }
                #expect(try await first.list().ids == [id])
                #expect(try await last.list().ids == [])
                try await deliverer.finish()
            }
            let shown = try await stage.shown(id)
            #expect(shown["state"]?.asText == "sent" && shown["progress"] == nil)
            #expect(shown["recipients"]?.integer == 5000)
            let holders = try await stage.holders(id)
            #expect(holders == 5000)
            #expect(try await first.list().ids == [id])
            #expect(try await last.list().ids == [id])
            #expect(try await other.list().ids == [])
        }
    }

    @Test(arguments: [(9, "sent"), (10, "sent"), (11, "delivering")])
    func `rule 9: what a request may reach gets it within the request`(count: Int, state: String) async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(count, tag: "all")
            let sent = try await stage.send(to: #"{"tag": "all"}"#)
            #expect(sent["state"]?.asText == state && sent["recipients"]?.integer == Int64(count))
            #expect(sent["estimate"]?.integer == (state == "sent" ? nil : Int64(count)))
            let holders = try await stage.holders(try #require(sent["message_id"]?.asText))
            #expect(holders == (state == "sent" ? count : 0))
        }
    }

    @Test func `who is named is not counted, however many are`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            let phone = try await stage.phone(tag: "all")
            try await stage.crowd(20, tag: "all")
            let narrow = try await stage.send(
                to: #"{"and": [{"tag": "all"}, {"channel": "\#(phone.channel)"}]}"#)
            #expect(narrow["state"]?.asText == "sent" && narrow["recipients"]?.integer == 1)
            let wide = try await stage.send(
                to: #"{"or": [{"tag": "all"}, {"channel": "\#(phone.channel)"}]}"#)
            #expect(wide["state"]?.asText == "delivering" && wide["estimate"]?.integer == 21)
        }
    }

    @Test func `mixed pushes are accepted all or not at all, and each says its state`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            let phone = try await stage.phone(tag: "all")
            try await stage.crowd(20, tag: "all")
            func push(_ audience: String, title: String = "T") -> String {
                #"{"audience": \#(audience), "device_types": "all", "message": {"title": "\#(title)", "body": "B"}}"#
            }
            let pushes = [
                push(#"{"tag": "all"}"#), push(#"{"channel": "\#(phone.channel)"}"#), push(#""all""#),
            ]
            let basic = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            let refused = await stage.call(
                .post, "/api/push", basic, "[\(pushes.joined(separator: ",")), \(push("1"))]")
            #expect(refused.status == 400)
            let none = try await stage.number("SELECT count(*) FROM messages")
            #expect(none == 0)
            let answer = try await stage.call(
                .post, "/api/push", basic, "[\(pushes.joined(separator: ","))]"
            ).json
            #expect(answer["state"]?.asText == "delivering")
            let states = (0..<3).map { answer["pushes"]?[$0]?["state"]?.asText }
            #expect(states == ["delivering", "sent", "sent"])
            #expect(answer["pushes"]?[0]?["estimate"]?.integer == 21)
            #expect(try await phone.list().ids.count == 2)
            try await stage.withDeliverer(chunk: 100) { try await $0.finish() }
            #expect(try await phone.list().ids.count == 3)
        }
    }

    @Test func `rule 17: a repeat of a send that is on its way, or was, starts no second one`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let basic = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            let body = #"{"audience": {"tag": "all"}, "message": {"title": "T", "body": "B"}}"#
            func send() async -> Response {
                await stage.call(.post, "/v1/messages", basic, body, headers: ["Idempotency-Key": "k"])
            }
            let first = await send()
            #expect(await send().body == first.body)
            try await stage.withDeliverer(chunk: 100) { try await $0.finish() }
            #expect(await send().body == first.body)
            let (messages, waiting) = try await (
                stage.number("SELECT count(*) FROM messages"), stage.number("SELECT count(*) FROM fanouts")
            )
            #expect(messages == 1 && waiting == 0)
        }
    }

    @Test func `what is scheduled for many is delivered in the background too`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            try await stage.freeze(at: "2031-05-06 07:00:00")
            try await stage.schedule(for: #"{"tag": "all"}"#)
            try await stage.freeze(at: "2031-05-06 07:08:09")
            try await stage.fire()
            let (waiting, held) = try await (
                stage.number("SELECT estimate FROM fanouts"), stage.number("SELECT count(*) FROM deliveries")
            )
            #expect(waiting == 20 && held == 0)
            try await stage.withDeliverer(chunk: 7) { try await $0.finish() }
            let all = try await stage.number("SELECT count(*) FROM deliveries")
            #expect(all == 20)
        }
    }

    @Test func `rule 9: people get it once, in mode person in their own inboxes`() async throws {
        var limits = DeviceStage.few
        limits.recipientsInRequest = 2
        try await DeviceStage.open(limits: limits, delivery: .person) { stage in
            let names = ["ana", "ben", "cleo", "dan"]
            var phones: [Phone] = []
            for name in names {
                let phone = try await stage.phone()
                try await stage.login(phone, name)
                phones.append(phone)
            }
            let list = (names + ["nobody"]).map { #""\#($0)""# }.joined(separator: ", ")
            let sent = try await stage.send(to: #"{"named_user": [\#(list)]}"#)
            #expect(sent["estimate"]?.integer == 4 && sent["unknown"]?.texts == ["named_user:nobody"])
            let id = try #require(sent["message_id"]?.asText)
            try await stage.withDeliverer(chunk: 3) { deliverer in
                try await deliverer.take()
                try await stage.login(phones[0], nil)
                try await deliverer.finish()
            }
            for (number, phone) in phones.enumerated() {
                #expect(try await phone.list().ids == (number == 0 ? [] : [id]), "\(number)")
            }
            try await stage.login(phones[0], "ana")
            #expect(try await phones[0].list().ids == [id])
            let holders = try await stage.holders(id)
            #expect(holders == 4)
        }
    }
}
