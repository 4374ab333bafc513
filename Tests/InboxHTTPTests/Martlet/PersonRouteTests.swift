import Crypto
import HTTPCore
import InboxModel
import InboxWire
import Postgres
import Testing

struct PersonRouteTests {
    @Test func `a person is shown with tags, devices and counts`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme, tags: ["own"])
            try await stage.logIn(device, as: "ana", of: stage.acme)
            _ = await stage.call(
                .post, "/api/named_users/tags", as: stage.acme.master,
                #"{"audience":{"named_user_id":"ana"},"add":{"crm":["vip","new"]}}"#)
            _ = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme)
            _ = try await stage.send(#""all""#, from: stage.acme)
            let answer = await stage.call(.get, "/v1/named-users/ana", as: stage.acme.master)
            #expect(answer.status == 200)
            let person = answer.json
            #expect(
                person["named_user_id"]?.text == "ana" && person["tags"]?["crm"]?.texts == ["new", "vip"])
            #expect(person["channels"]?[0]?["channel_id"]?.text == device.channel.text)
            #expect(person["channels"]?[0]?["tags"]?["device"]?.texts == ["own"])
            #expect(person["message_count"]?.integer == 2 && person["unread_count"]?.integer == 2)
            #expect(person["created"]?.text?.utf8.count == 24)
        }
    }

    @Test func `a person's inbox is what a session sees: the own and the app's, not a device's`() async throws
    {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            try await stage.logIn(device, as: "ana", of: stage.acme)
            let own = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme, extra: #""k":"1""#)
            _ = try await stage.send(#"{"channel":"\#(device.channel.text)"}"#, from: stage.acme)
            let broadcast = try await stage.send(#""all""#, from: stage.acme)
            func ids(_ query: String) async -> [String] {
                let answer = await stage.call(
                    .get, "/v1/named-users/ana/inbox\(query)", as: stage.acme.master)
                #expect(answer.status == 200)
                guard case .array(let messages)? = answer.json["messages"] else { return [] }
                return messages.compactMap { $0["message_id"]?.text }
            }
            #expect(Set(await ids("")) == [own, broadcast])
            #expect(await ids("?extra.k=1") == [own])
            #expect(await ids("?unread=true&limit=1").count == 1)
            let wrong = await stage.call(.get, "/v1/named-users/ana/inbox?limit=0", as: stage.acme.master)
            #expect(wrong.status == 400)
        }
    }

    @Test func `an erased person is gone with all that was hers alone, and nothing else is`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme, tags: ["own"])
            try await stage.logIn(device, as: "ana", of: stage.acme)
            let ben = try await stage.device(stage.acme)
            try await stage.logIn(ben, as: "ben", of: stage.acme)
            let foreign = try await stage.device(stage.globex)
            try await stage.logIn(foreign, as: "ana", of: stage.globex)
            let hers = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme)
            let both = try await stage.send(#"{"named_user":["ana","ben"]}"#, from: stage.acme)
            let devices = try await stage.send(#"{"channel":"\#(device.channel.text)"}"#, from: stage.acme)
            let foreigns = try await stage.send(#"{"named_user":"ana"}"#, from: stage.globex)
            #expect(Set(try await stage.inbox(of: device)) == [hers, both, devices])

            let rehearsal = await stage.call(
                .delete, "/v1/named-users/ana?dry_run=true", as: stage.acme.master)
            #expect(
                rehearsal.text
                    == #"{"dry_run":true,"channels":1,"tags":0,"messages":2,"messages_of_nobody_else":1,"#
                    + #""sessions":0,"events":0}"#)
            let misspelt = await stage.call(
                .delete, "/v1/named-users/ana?dryrun=true", as: stage.acme.master)
            #expect(misspelt.status == 400 && misspelt.text.contains(#""field":"dryrun""#))
            #expect(Set(try await stage.inbox(of: device)) == [hers, both, devices])

            #expect(await stage.call(.delete, "/v1/named-users/ana", as: stage.acme.master).status == 204)
            #expect(try await stage.inbox(of: device) == [devices])
            #expect(try await stage.inbox(of: ben) == [both])
            #expect(try await stage.inbox(of: foreign) == [foreigns])
            let statuses = [("messages/\(hers)", 404), ("messages/\(both)", 200), ("named-users/ana", 404)]
            for (path, status) in statuses {
                #expect(await stage.call(.get, "/v1/\(path)", as: stage.acme.master).status == status)
            }
            let again = await stage.call(.delete, "/v1/named-users/ana", as: stage.acme.master)
            #expect(again.status == 404)
            let audit = await stage.call(.get, "/v1/audit?limit=1", as: stage.acme.master).json["entries"]?[0]
            #expect(audit?["action"]?.text == "named_user.erase" && audit?["subject"]?.text == "ana")
        }
    }

    @Test func `sessions and their events go with the person, and whoever comes by the name begins anew`()
        async throws
    {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            try await stage.logIn(device, as: "ana", of: stage.acme)
            let session = try await stage.session(of: "ana", in: stage.acme)
            _ = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme)
            let event = #"{"events":[{"id":"e","type":"opened"}]}"#
            #expect(await stage.call(.post, "/v1/events", as: session, event).status == 200)
            let before = await stage.call(.delete, "/v1/named-users/ana?dry_run=true", as: stage.acme.master)
            #expect(before.json["sessions"]?.integer == 1 && before.json["events"]?.integer == 1)

            #expect(await stage.call(.delete, "/v1/named-users/ana", as: stage.acme.master).status == 204)
            #expect(await stage.call(.get, "/v1/inbox", as: session).status == 401)
            #expect(try await stage.stored("SELECT count(*)::text FROM client_events") == "0")
            try await stage.logIn(device, as: "ana", of: stage.acme)
            let person = await stage.call(.get, "/v1/named-users/ana", as: stage.acme.master).json
            #expect(person["message_count"]?.integer == 0 && person["tags"] == .object([]))
        }
    }

    @Test func `a person that the app does not know is not found, another tenant's neither`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.globex)
            try await stage.logIn(device, as: "ana", of: stage.globex)
            let calls: [(HTTPCore.Method, String)] = [
                (.get, "ana"), (.get, "ana/inbox"), (.post, "ana/export"), (.delete, "ana"),
                (.delete, "ana?dry_run=true"),
            ]
            for (method, path) in calls {
                let answer = await stage.call(method, "/v1/named-users/\(path)", as: stage.acme.master)
                #expect(answer.status == 404 && answer.json["detail"]?.text == "named user not found")
                let other = await stage.call(
                    method, "/v1/named-users/\(path)", as: stage.globex.appSecretAsMaster)
                #expect(other.status == 401)
            }
            #expect(await stage.call(.get, "/v1/named-users/ana", as: stage.globex.master).status == 200)
        }
    }

    @Test(arguments: ["%20", String(repeating: "a", count: 129), "a%0Ab"])
    func `what cannot be a person's id is refused`(id: String) async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.get, "/v1/named-users/\(id)", as: stage.acme.master)
            #expect(answer.status == 400 && answer.json["field"]?.text == "named_user")
        }
    }
}

/// Exports of people.
struct PersonExportTests {
    @Test func `an export holds everything, and is audited`() async throws {
        try await ServerStage.open { stage in
            let device = try await stage.device(stage.acme)
            try await stage.logIn(device, as: "ana", of: stage.acme)
            let session = try await stage.session(of: "ana", in: stage.acme)
            let read = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme)
            let deleted = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme)
            let broadcast = try await stage.send(#""all""#, from: stage.acme)
            for (mark, id) in [("read", read), ("delete", deleted), ("read", broadcast)] {
                let answer = await stage.call(.post, "/v1/inbox/\(mark)", as: session, #"{"ids":["\#(id)"]}"#)
                #expect(answer.status == 200)
            }
            let event = #"{"events":[{"id":"e","type":"opened","message_id":"\#(read)","data":{"k":"v"}}]}"#
            _ = await stage.call(.post, "/v1/events", as: session, event)

            let answer = await stage.call(.post, "/v1/named-users/ana/export", as: stage.acme.master)
            #expect(answer.status == 200 && answer.response.headers["cache-control"] == "no-store")
            let document = answer.json
            #expect(document["complete"] == .bool(true) && document["named_user_id"]?.text == "ana")
            #expect(document["channels"]?[0]?["channel_id"]?.text == device.channel.text)
            let messages = try #require(document["messages"]?.byID)
            #expect(Set(messages.keys) == [read, deleted])
            #expect(
                messages[read]?["state"]?.text == "read" && messages[deleted]?["state"]?.text == "deleted")
            #expect(messages[read]?["body"]?.text == Base64.encode(Array("<p>Hi</p>".utf8)))
            #expect(document["broadcast_marks"]?[0]?["message_id"]?.text == broadcast)
            #expect(document["broadcast_marks"]?[0]?["state"]?.text == "read")
            #expect(document["sessions"]?[0]?["user_id"]?.text?.utf8.count == 22)
            #expect(document["events"]?[0]?["message_id"]?.text == read)
            #expect(document["events"]?[0]?["data"]?["k"]?.text == "v")
            #expect(document["audit"]?[0]?["action"]?.text == "named_user.export")
            #expect(!answer.text.contains(session.suffix(22)), "a session's secret")
        }
    }

    @Test(arguments: [(18, 20_000, true), (17, 20_000, false), (1000, 2, true), (1000, 1, false)])
    func `beyond its limits an export says that it is not complete`(
        bytes: Int, rows: Int, isComplete: Bool
    ) async throws {
        var limits = Limits()
        limits.exportBytes = bytes
        limits.exportRows = rows
        try await ServerStage.open(limits: limits) { stage in
            let device = try await stage.device(stage.acme)
            try await stage.logIn(device, as: "ana", of: stage.acme)
            for _ in 0..<2 { _ = try await stage.send(#"{"named_user":"ana"}"#, from: stage.acme) }
            let document = await stage.call(.post, "/v1/named-users/ana/export", as: stage.acme.master).json
            #expect(document["complete"] == .bool(isComplete))
            guard case .array(let messages)? = document["messages"] else { return }
            #expect(messages.count == min(2, rows))
            #expect(messages.count { $0["body"] == .null } == (bytes < 18 ? 1 : 0))
        }
    }
}

extension JSON {
    /// Elements by their message ids.
    fileprivate var byID: [String: JSON]? {
        guard case .array(let elements) = self else { return nil }
        return Dictionary(elements.map { ($0["message_id"]?.text ?? "", $0) }) { first, _ in first }
    }
}

extension ServerStage.Tenant {
    /// The app secret where the master secret belongs.
    fileprivate var appSecretAsMaster: String { basic(appSecret) }
}

extension ServerStage {
    /// Logs a device in as a person, as the backend does.
    func logIn(_ device: TestDevice, as person: String, of tenant: Tenant) async throws {
        let answer = await call(
            .post, "/api/named_users/associate", as: tenant.master,
            #"{"channel_id":"\#(device.channel.text)","named_user_id":"\#(person)"}"#)
        try #require(answer.status == 200)
    }

    /// Sends a message to an audience and returns its id.
    func send(_ audience: String, from tenant: Tenant, extra: String = "") async throws -> String {
        let answer = await call(
            .post, "/v1/messages", as: tenant.master,
            #"{"audience":\#(audience),"message":{"title":"Hello","body":"<p>Hi</p>","extra":{\#(extra)}}}"#)
        try #require(answer.status == 202, "\(answer.text)")
        return try #require(answer.json["message_id"]?.text)
    }

    /// Ids of what the device shows.
    func inbox(of device: TestDevice) async throws -> [String] {
        let basic = "Basic " + Base64.encode(Array("\(device.user.text):x".utf8))
        let answer = await call(.get, "/v1/inbox", as: basic)
        guard case .array(let messages)? = answer.json["messages"] else { return [] }
        return messages.compactMap { $0["message_id"]?.text }
    }
}

extension ServerStage {
    /// Opens a session for a person; its credential.
    func session(of person: String, in tenant: Tenant) async throws -> String {
        let answer = await call(
            .post, "/v1/sessions", as: tenant.master, #"{"named_user_id":"\#(person)"}"#)
        try #require(answer.status == 201)
        return "Bearer " + (try #require(answer.json["token"]?.text))
    }
}
