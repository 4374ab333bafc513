import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform
import Postgres
import TestSupport
import Testing

@testable import InboxHTTP

/// What a backend is told of a message afterwards.
@Suite struct MessageCountTests {
    @Test func `who deleted a message counts, and whom a recall or the cap took it from does not`()
        async throws
    {
        try await DeviceStage.open { stage in
            var phones: [Phone] = []
            for _ in 0..<4 { phones.append(try await stage.phone(tag: "all")) }
            let id = try #require(try await stage.send(to: #"{"tag": "all"}"#)["message_id"]?.asText)
            #expect(await phones[0].batch("unread", [id]).status == 200)
            #expect(await phones[1].batch("delete", [id]).status == 200)
            try await stage.script("UPDATE apps SET inbox_cap = 1")
            _ = try await stage.send(to: #"{"channel": "\#(phones[2].channel)"}"#)
            var shown = try await stage.shown(id)
            #expect(shown["recipients"]?.integer == 4)
            #expect(shown["read"]?.integer == 1 && shown["deleted"]?.integer == 1)
            try await stage.backend.recall(id, in: stage.acme)
            shown = try await stage.shown(id)
            #expect(shown["state"]?.asText == "recalled" && shown["recipients"]?.integer == 4)
            #expect(shown["read"]?.integer == 1 && shown["deleted"]?.integer == 1)
        }
    }

    @Test func `who reads or deletes a broadcast counts once, as a device and as its person`() async throws {
        try await DeviceStage.open { stage in
            let phones = [try await stage.phone(), try await stage.phone(), try await stage.phone()]
            for phone in phones.prefix(2) { try await stage.login(phone, "ana") }
            let id = try #require(try await stage.send(to: #""all""#)["message_id"]?.asText)
            #expect(await phones[0].batch("unread", [id]).status == 200)
            var shown = try await stage.shown(id)
            #expect(shown["recipients"]?.integer == 3 && shown["read"]?.integer == 1)
            #expect(await phones[2].batch("unread", [id]).status == 200)
            #expect(await phones[1].batch("delete", [id]).status == 200)
            shown = try await stage.shown(id)
            #expect(shown["read"]?.integer == 2 && shown["deleted"]?.integer == 1, "\(shown)")
        }
    }

    @Test func `a body counts as fetched once for each inbox, not when it was refused or not changed`()
        async throws
    {
        try await DeviceStage.open { stage in
            let one = try await stage.phone(tag: "all")
            let other = try await stage.phone(tag: "all")
            let stranger = try await stage.phone()
            let id = try #require(try await stage.send(to: #"{"tag": "all"}"#)["message_id"]?.asText)
            let body = "/messages/message/\(id)/body"
            #expect(try await stage.shown(id)["fetched"]?.integer == 0)
            #expect(await stranger.call(.get, body).status == 404)
            let held: Headers = ["If-None-Match": "\"\(id)\""]
            #expect(await other.call(.get, body, headers: held).status == 304)
            await stage.shard.recordFetches()
            #expect(try await stage.shown(id)["fetched"]?.integer == 0)
            for _ in 0..<2 {
                #expect(await one.call(.get, body).status == 200)
                await stage.shard.recordFetches()
                #expect(try await stage.shown(id)["fetched"]?.integer == 1)
            }
            try await stage.onAnotherInstance { instance in
                for phone in [one, other] {
                    #expect(await phone.on(instance).call(.get, body).status == 200)
                }
                await instance.shard.recordFetches()
            }
            #expect(try await stage.shown(id)["fetched"]?.integer == 2)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a fetch is counted soon without anybody asking for it`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await stage.phone()
            let sent = try await stage.send(to: #""all""#)
            let id = try #require(sent["message_id"]?.asText)
            #expect(await phone.call(.get, "/messages/message/\(id)/body").status == 200)
            while try await stage.shown(id)["fetched"]?.integer != 1 {}
        }
    }

    @Test func `a page goes on where the last one ended, also when that message is gone`() async throws {
        try await DeviceStage.open { stage in
            var sent: [String] = []
            for _ in 0..<4 {
                let answer = try await stage.send(to: #""all""#)
                sent.append(try #require(answer["message_id"]?.asText))
            }
            let basic = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            func page(_ query: String) async throws -> JSON {
                try await stage.call(.get, "/v1/messages?\(query)", basic).json
            }
            func ids(_ page: JSON) -> [String?] {
                guard case .array(let messages)? = page["messages"] else { return [] }
                return messages.map { $0["message_id"]?.asText }
            }
            let all = ids(try await page("limit=4"))
            #expect(Set(all) == Set(sent))
            let first = try await page("limit=2")
            let next = try #require(first["next"]?.asText)
            let last = try #require(all[1])
            let behind = try await page("before=\(last)")
            #expect(ids(behind) == Array(all[2...]))
            let asPush = try #require(MessageID(wire: last)).pushID
            #expect(ids(try await page("before=\(asPush)")) == Array(all[2...]))
            try await stage.script("DELETE FROM messages WHERE message_id = '\(last)'")
            #expect(ids(try await page("before=\(next)")) == Array(all[2...]))
            let gone = await stage.call(.get, "/v1/messages?before=\(last)", basic)
            #expect(gone.status == 400)
            #expect(try gone.json["field"]?.asText == "before")
        }
    }

    @Test func `an expired message says so when it is to be recalled`() async throws {
        try await DeviceStage.open { stage in
            let id = try #require(try await stage.send(to: #""all""#)["message_id"]?.asText)
            try await stage.advance(seconds: 366 * 86_400)
            let basic = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            let answer = await stage.call(.delete, "/v1/messages/\(id)", basic)
            #expect(answer.status == 404)
            #expect(try answer.json["detail"]?.asText == "the message has expired")
        }
    }

    @Test func `each send and the first recall of a message stand in the audit`() async throws {
        try await DeviceStage.open { stage in
            let basic = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
            let id = try #require(try await stage.send(to: #""all""#)["message_id"]?.asText)
            for _ in 0..<2 { _ = await stage.call(.delete, "/v1/messages/\(id)", basic) }
            let push = #"{"audience": "all", "device_types": "all", "message": {"title": "T", "body": "B"}}"#
            for _ in 0..<2 {
                let answer = await stage.call(
                    .post, "/api/push", basic, "[\(push), \(push)]", headers: ["Idempotency-Key": "k"])
                #expect(answer.status == 202)
            }
            let lines = try await stage.number(
                """
                SELECT count(*) FROM audit a JOIN messages m ON m.app_id = a.app_id AND m.message_id = a.subject
                WHERE a.actor = 'master' AND a.action = 'message.send'
                """)
            #expect(lines == 3)
            let recalls = try await stage.number(
                "SELECT count(*) FROM audit WHERE action = 'message.recall' AND subject = \(id)")
            #expect(recalls == 1)
        }
    }
}

struct FetchLogTests {
    private static func fetch(_ inbox: Int64) -> Fetch {
        Fetch(app: AppID(rawValue: 1), message: MessageID(high: 0, low: 0), inbox: InboxID(rawValue: inbox))
    }

    @Test func `the first fetch is due soon, the last that fits now, and what is known never`() {
        var log = FetchLog()
        #expect(log.note(Self.fetch(1)) == .soon)
        #expect(log.note(Self.fetch(1)) == .no)
        for inbox in 2..<Int64(FetchLog.most) { #expect(log.note(Self.fetch(inbox)) == .no) }
        #expect(log.note(Self.fetch(Int64(FetchLog.most))) == .now)
        #expect(log.note(Self.fetch(0)) == .no, "there is no room")
        #expect(log.take().count == FetchLog.most && log.take().isEmpty)
        #expect(log.note(Self.fetch(1)) == .no, "it was written")
        #expect(log.note(Self.fetch(0)) == .soon)
    }

    @Test func `what could not be written waits again, as far as there is room`() {
        var log = FetchLog()
        for inbox in 1...3 { _ = log.note(Self.fetch(Int64(inbox))) }
        let taken = log.take()
        _ = log.note(Self.fetch(4))
        log.restore(taken)
        #expect(Set(log.take()) == Set((1...4).map { Self.fetch($0) }))
        log.restore((0..<2000).map { Self.fetch($0) })
        #expect(log.take().count == FetchLog.most)
    }
}
