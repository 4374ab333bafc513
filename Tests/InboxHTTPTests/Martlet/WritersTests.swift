import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct WritersTests {
    /// What a client has that does nothing but ask for changes.
    private struct Copy {
        var cursor: String
        var held: Set<String> = []
        /// All that it was ever told of.
        var seen: Set<String> = []

        mutating func apply(_ changes: ChangesAnswer) {
            if changes.isReset { held = [] }
            held.formUnion(changes.changed.ids)
            held.subtract(changes.removed)
            seen.formUnion(changes.changed.ids)
            cursor = changes.cursor
        }
    }

    /// Sends over a server until all are sent; the ids.
    private func write(_ count: Int, to phone: Phone, audience: String, on stage: DeviceStage) async throws
        -> [String]
    {
        var ids: [String] = []
        for number in 0..<count {
            let body = #"{"audience":\#(audience),"message":{"title":"\#(number)","body":"b"}}"#
            let answer = await stage.call(
                .post, "/v1/messages", DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret), body)
            try #require(answer.status == 202, "\(answer.text)")
            ids.append(try #require(try answer.json["message_id"]?.asText))
        }
        return ids
    }

    @Test func `rule 3: twenty writers and one poller: the poller saw exactly what was sent`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            _ = await phone.login("ana")
            let audiences = [#"{"named_user":"ana"}"#, #"{"channel":"\#(phone.channel)"}"#, #""all""#]
            try await stage.onAnotherInstance { other in
                let there = phone.on(other)
                var copy = Copy(cursor: try await phone.inbox().cursor)
                let sent = try await withThrowingTaskGroup(of: [String].self) { group in
                    for writer in 0..<20 {
                        group.addTask {
                            try await write(
                                10, to: phone, audience: audiences[writer % 3],
                                on: writer.isMultiple(of: 2) ? stage : other)
                        }
                    }
                    var sent: [String] = []
                    var polls = 0
                    while sent.count < 200 {
                        for asked in [phone, there] {
                            copy.apply(try await asked.changes(since: copy.cursor, limit: 7))
                        }
                        polls += 2
                        if polls.isMultiple(of: 8) { sent += try await group.next() ?? [] }
                    }
                    return sent
                }
                while true {
                    let changes = try await there.changes(since: copy.cursor, limit: 7)
                    copy.apply(changes)
                    if changes.isEmpty { break }
                }
                #expect(copy.seen == Set(sent) && copy.held == Set(sent))
                #expect(try await phone.inbox().ids.count == 200)
            }
        }
    }

    @Test func `rule 5: offline marks that are uploaded twice change nothing the second time`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let one = try await Phone.register(stage)
            let two = try await Phone.register(stage)
            for phone in [one, two] { _ = await phone.login("ana") }
            for _ in 0..<8 {
                try await stage.backend.send(to: .namedUsers([try NamedUserID("ana")]), in: stage.acme)
            }
            let ids = try await one.inbox().ids
            for word in ["read", "delete"] {
                try await one.mark(word, word == "read" ? Array(ids[..<5]) : Array(ids[5..<7]))
            }
            let after = try await two.inbox()
            #expect(after.unread == [ids[7]] && after.ids == Array(ids[..<5]) + [ids[7]])
            for word in ["read", "delete"] {
                try await one.mark(word, word == "read" ? Array(ids[..<5]) : Array(ids[5..<7]))
            }
            #expect(try await two.inbox(etag: after.etag).status == 304)
        }
    }

    @Test func `rule 7: two people on one phone never see each other's messages, and find their own again`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            var sent: [String: String] = [:]
            for name in ["ana", "ben"] {
                _ = await phone.login(name)
                sent[name] = try await stage.backend.send(
                    to: .namedUsers([NamedUserID(stored: name)]), in: stage.acme)
            }
            for name in ["ana", "ben", "ana"] {
                let before = try await phone.inbox()
                _ = await phone.login(name)
                let after = try await phone.inbox(etag: before.etag)
                #expect(after.ids == [sent[name]])
                try await phone.mark("read", [try #require(sent[name])])
                #expect(try await phone.inbox().unread.isEmpty)
                let other = try #require(sent[name == "ana" ? "ben" : "ana"])
                #expect(await phone.v1(.get, "/inbox/messages/\(other)/body").status == 404)
            }
        }
    }

    @Test func `rule 7: one person on three phones is one state`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            var phones: [Phone] = []
            for platform in [DeviceType.ios, .android, .amazon] {
                let phone = try await Phone.register(stage, stage.acme, platform)
                _ = await phone.login("ana")
                phones.append(phone)
            }
            let message = try await stage.backend.send(
                to: .namedUsers([try NamedUserID("ana")]), in: stage.acme)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            for phone in phones { #expect(Set(try await phone.inbox().unread) == [message, common]) }
            try await phones[0].mark("read", [message])
            try await phones[1].mark("delete", [common])
            for phone in phones {
                let inbox = try await phone.inbox()
                #expect(inbox.ids == [message] && inbox.unread.isEmpty)
            }
        }
    }
}
