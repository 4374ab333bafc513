import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct MarkTests {
    @Test func `read, unread and delete answer the count and a cursor that is current`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let (one, two) = (try await phone.receive(), try await phone.receive())
            #expect(try await phone.mark("read", [one, two])["unread_count"]?.asInteger == 0)
            #expect(try await phone.mark("unread", [one])["unread_count"]?.asInteger == 1)
            let answer = try await phone.mark("delete", [two])
            #expect(answer["unread_count"]?.asInteger == 1)
            let cursor = try #require(answer["cursor"]?.asText)
            #expect(try await phone.changes(since: cursor).isEmpty)
            #expect(try await phone.inbox().unread == [one])
        }
    }

    @Test func `rule 5: of two marks of a broadcast the later counts, on every device`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let one = try await Phone.register(stage)
            let two = try await Phone.register(stage)
            for phone in [one, two] { _ = await phone.login("ana") }
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            try await one.mark("read", [common])
            #expect(try await two.inbox().unread.isEmpty)
            try await two.mark("unread", [common])
            #expect(try await one.inbox().unread == [common])
            try await one.mark("read", [common])
            #expect(try await two.inbox().unread.isEmpty)
        }
    }

    @Test func `rule 5: of two marks the later counts, also one of what the view showed already`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let one = try await Phone.register(stage)
            let two = try await Phone.register(stage)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            try await one.mark("read", [common])
            _ = await two.login("ana")
            try await two.mark("unread", [common])
            _ = await one.login("ana")
            #expect(try await one.inbox().unread == [common])
        }
    }

    @Test func `rule 5: a mark counts in every inbox of the view, also in one that had it before`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let one = try await Phone.register(stage)
            let two = try await Phone.register(stage)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            try await one.mark("read", [common])
            for name in ["ana", "ben"] {
                _ = await two.login(name)
                try await two.mark("unread", [common])
            }
            _ = await one.login("ana")
            try await one.mark("read", [common])
            _ = await one.login("ben")
            #expect(try await one.inbox().unread.isEmpty)
        }
    }

    @Test func `rule 5: a broadcast that the device deleted is not there to be marked by its person`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let one = try await Phone.register(stage)
            let two = try await Phone.register(stage)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            try await one.mark("delete", [common])
            for phone in [one, two] { _ = await phone.login("ana") }
            for word in ["read", "delete"] { try await one.mark(word, [common]) }
            #expect(try await two.inbox().unread == [common])
        }
    }

    @Test func `a mark that is repeated changes nothing`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let common = try await stage.backend.send(to: .everyone, in: stage.acme)
            for word in ["unread", "read", "delete"] {
                try await phone.mark(word, [common])
                let before = try await phone.inbox()
                try await phone.mark(word, [common])
                #expect(try await phone.inbox(etag: before.etag).status == 304)
            }
        }
    }

    @Test(arguments: ["read", "delete"])
    func `all up to a cursor leaves alone what came after it`(word: String) async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            _ = await phone.login("ana")
            let ana = Audience.namedUsers([try NamedUserID("ana")])
            for audience in [try phone.audience, ana, .everyone] {
                try await stage.backend.send(to: audience, in: stage.acme)
            }
            let cursor = try await phone.inbox().cursor
            var later: [String] = []
            for audience in [try phone.audience, ana, .everyone] {
                later.append(try await stage.backend.send(to: audience, in: stage.acme))
            }
            let answer = await phone.markAll(word, upTo: cursor)
            #expect(answer.status == 200)
            #expect(try answer.json["unread_count"]?.asInteger == 3)
            let inbox = try await phone.inbox()
            #expect(Set(inbox.unread) == Set(later))
            #expect(inbox.ids.count == (word == "read" ? 6 : 3))
        }
    }

    @Test func `all up to another's cursor is a conflict and changes nothing`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let stranger = try await Phone.register(stage, stage.globex)
            try await phone.receive()
            let before = try await phone.inbox().cursor
            for cursor in [try await other.inbox().cursor, try await stranger.inbox().cursor] {
                #expect(await phone.markAll("delete", upTo: cursor).status == 409)
            }
            _ = await phone.login("ana")
            #expect(await phone.markAll("delete", upTo: before).status == 409)
            #expect(try await phone.inbox().unread.count == 1)
        }
    }

    @Test func `all up to a cursor from before a change of settings marks nothing that was hidden then`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            func filter(_ mode: String) async -> Response {
                await stage.call(
                    .patch, "/v1/app", DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret),
                    #"{"filter_mode":"\#(mode)"}"#)
            }
            #expect(await filter("server").status == 200)
            let hidden = try await phone.receive()
            let before = try await phone.inbox()
            #expect(before.ids.isEmpty)
            #expect(await filter("off").status == 200)
            #expect(await phone.markAll("delete", upTo: before.cursor).status == 409)
            let now = try await phone.inbox()
            #expect(now.ids == [hidden])
            #expect(await phone.markAll("delete", upTo: now.cursor).status == 200)
        }
    }

    @Test func `unknown, foreign, expired and gone ids are accepted and change nothing`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let (own, foreign, gone) = (
                try await phone.receive(), try await other.receive(), try await phone.receive()
            )
            try await phone.mark("delete", [gone])
            let before = try await phone.inbox()
            let unknown = String(repeating: "A", count: 22)
            for word in ["read", "unread", "delete"] {
                try await phone.mark(word, [foreign, gone, unknown, "no id", ""])
            }
            #expect(try await phone.inbox(etag: before.etag).status == 304)
            #expect(try await other.inbox().unread == [foreign])
            try await phone.mark("read", ["no id", own])
            #expect(try await phone.inbox().unread.isEmpty)
        }
    }

    @Test func `rule 5: a message that is not for its type of device is not there to be marked`() async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage, nil, .android)
            for device in [phone, other] { _ = await device.login("ana") }
            let ana = Audience.namedUsers([try NamedUserID("ana")])
            let direct = try await stage.backend.send(to: ana, in: stage.acme) {
                $0.deviceTypes = DeviceTypes(.ios)
            }
            let common = try await stage.backend.send(to: .everyone, in: stage.acme) {
                $0.deviceTypes = DeviceTypes(.ios)
            }
            for word in ["read", "delete"] { try await other.mark(word, [direct, common]) }
            let cursor = try await other.inbox().cursor
            #expect(await other.markAll("delete", upTo: cursor).status == 200)
            #expect(try await other.inbox().ids.isEmpty)
            #expect(try await phone.inbox().unread.sorted() == [direct, common].sorted())
        }
    }

    @Test(arguments: [
        ("", ""), ("[]", ""), ("{}", "ids"), (#"{"ids":"x"}"#, "ids"), (#"{"ids":[1]}"#, "ids[0]"),
        (#"{"ids":null}"#, "ids"), (#"{"all":true}"#, "up_to"), (#"{"all":false,"up_to":"x"}"#, "all"),
        (#"{"all":true,"up_to":"x"}"#, "up_to"), (#"{"all":true,"up_to":7}"#, "up_to"),
        (#"{"ids":[],"all":true}"#, "all"), (#"{"ids":[],"up_to":"x"}"#, "up_to"),
        (#"{"ids":[],"x":1}"#, "x"),
    ])
    func `a faulty mark is refused by the name of its field`(body: String, field: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let answer = await phone.v1(.post, "/inbox/read", body)
            #expect(answer.status == 400)
            #expect(try answer.json["field"]?.asText ?? "" == field)
        }
    }

    @Test(arguments: [(2, 200), (3, 200), (4, 400)])
    func `a mark names at most as many ids as the limit`(count: Int, status: Int) async throws {
        var limits = Limits()
        limits.idsPerBatch = 3
        try await DeviceStage.open(limits: limits) { stage in
            let phone = try await Phone.register(stage)
            let list = [String](repeating: #""x""#, count: count).joined(separator: ",")
            #expect(await phone.v1(.post, "/inbox/delete", #"{"ids":[\#(list)]}"#).status == status)
        }
    }
}
