import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct BatchRouteTests {
    @Test(arguments: ["unread", "delete"])
    func `a batch is exactly 200, whatever its elements are`(name: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let foreign = try await stage.backend.send(to: try other.audience, in: stage.acme)
            for elements in [
                "", "null", "{}", "[]", "1e400", "true", #""nonsense""#, #"{"message_id":null}"#,
                #"{"message_id":7}"#, #"{"message_id":"\#(foreign)"}"#,
                #"{"message_id":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
                #"{"message_id":"","x":{"y":[1]}},null"#,
            ] {
                let answer = await phone.call(.post, "/messages/\(name)/", #"{"messages":[\#(elements)]}"#)
                #expect(answer.status == 200, "\(elements)")
            }
            #expect(try await other.list().unread == [foreign])
        }
    }

    @Test(arguments: ["", "nonsense", "[]", "{}", #"{"messages":{}}"#, #"{"messages":null}"#])
    func `a body without a list of messages is 400`(body: String) async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            #expect(await phone.call(.post, "/messages/unread", body).status == 400)
        }
    }

    @Test func `an unknown id does not keep the others from being marked, and strings are ids too`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let one = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let other = try await stage.backend.send(to: .everyone, in: stage.acme)
            let body =
                #"{"messages":["\#(one)",{"message_id":"AAAAAAAAAAAAAAAAAAAAAA"},null,{"message_id":"\#(other)"}]}"#
            #expect(await phone.call(.post, "/messages/unread/", body).status == 200)
            let list = try await phone.list()
            #expect(Set(list.ids) == [one, other] && list.unread.isEmpty && list.badge == 0)
        }
    }

    @Test func `the unread count follows reads, deletes and repeats`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var ids: [String] = []
            for _ in 0..<3 {
                ids.append(try await stage.backend.send(to: try phone.audience, in: stage.acme))
            }
            for (name, index, count) in [
                ("delete", 0, 2), ("unread", 1, 1), ("unread", 1, 1), ("delete", 1, 1),
            ] {
                #expect(await phone.batch(name, [ids[index]]).status == 200)
                let list = try await phone.list()
                #expect(list.badge == Int64(count) && list.unread.count == count)
            }
        }
    }

    @Test func `the same batches again change nothing, not even the date`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let ids = [
                try await stage.backend.send(to: try phone.audience, in: stage.acme),
                try await stage.backend.send(to: .everyone, in: stage.acme),
            ]
            #expect(await phone.batch("unread", ids).status == 200)
            let read = try await phone.list()
            #expect(await phone.batch("unread", ids).status == 200)
            #expect(try await phone.list(since: read.lastModified).status == 304)
            #expect(await phone.batch("delete", ids).status == 200)
            let deleted = try await phone.list(since: read.lastModified)
            #expect(deleted.status == 200 && deleted.ids.isEmpty)
            for name in ["delete", "unread"] { #expect(await phone.batch(name, ids).status == 200) }
            #expect(try await phone.list(since: deleted.lastModified).status == 304)
        }
    }

    @Test func `more ids than the limit are refused with its name; double ones count once`() async throws {
        var limits = Limits()
        limits.idsPerBatch = 2
        try await DeviceStage.open(limits: limits) { stage in
            let phone = try await Phone.register(stage)
            let ids = ["A", "Q", "g"].map { "AAAAAAAAAAAAAAAAAAAAA" + $0 }
            #expect(await phone.batch("unread", ids + ids).status == 400)
            #expect(await phone.batch("unread", [ids[0], ids[1], ids[0]]).status == 200)
        }
    }

    @Test func `single forms read and delete, with and without the user in the path`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let path = "/api/user/messages/message/\(message)/"
            let single = await stage.call(.get, path, phone.basic)
            #expect(try single.json["unread"] == .bool(true))
            #expect(await stage.call(.post, path + "read/", phone.basic).status == 200)
            #expect(try await phone.call(.get, "/messages/message/\(message)").json["unread"] == .bool(false))
            #expect(await phone.call(.delete, "/messages/message/\(message)/").status == 200)
            #expect(await stage.call(.get, path, phone.basic).status == 404)
            #expect(await stage.call(.delete, path, phone.basic).status == 200)
            #expect(try await phone.list().ids.isEmpty)
        }
    }
}
