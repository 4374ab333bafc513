import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

/// Every way of writing, seen by a device that asks again with what it knows.
@Suite struct WritePathTests {
    /// A way of writing that changes the view of a person's device.
    enum Path: String, CaseIterable, Sendable {
        case serverPush, bulk, martletSend, repeatableSend, serverSchedule, martletSchedule
        case tagOfDevice, tagOfPerson, expiry, erasure
    }

    @Test(arguments: Path.allCases)
    func `reported fault 17: every way of writing moves date, tag and cursor`(path: Path) async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let phone = try await Phone.register(stage)
            _ = await phone.login("ana")
            try await stage.backend.send(to: .everyone, in: stage.acme) {
                $0.draft.expiry = .after(seconds: 3600)
            }
            try await stage.backend.send(to: .namedUsers([try NamedUserID("ana")]), in: stage.acme)
            let (inbox, list) = (try await phone.inbox(), try await phone.list())
            #expect(list.ids.count == 2)
            #expect(try await phone.list(since: list.lastModified).status == 304)
            try await stage.write(by: path, to: phone)
            let again = try await phone.list(since: list.lastModified)
            #expect(again.status == 200 && again.ids != list.ids && again.lastModified != list.lastModified)
            let after = try await phone.inbox(etag: inbox.etag)
            #expect(after.status == 200 && after.cursor != inbox.cursor && after.ids == again.ids)
            #expect(try await phone.changes(since: inbox.cursor).isEmpty == false)
        }
    }

    @Test func `reported fault 17: the clean-up changes no view, and moves no date, tag or cursor`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.backend.send(to: .everyone, in: stage.acme) {
                $0.draft.expiry = .after(seconds: 3600)
            }
            let kept = try await phone.receive { $0.draft.expiry = .after(seconds: 86_400 * 300) }
            try await stage.advance(days: 31)
            let (inbox, list) = (try await phone.inbox(), try await phone.list())
            #expect(inbox.ids == [kept])
            #expect(try await stage.clean().count == 1)
            #expect(try await phone.list(since: list.lastModified).status == 304)
            #expect(try await phone.inbox(etag: inbox.etag).status == 304)
            #expect(try await phone.changes(since: inbox.cursor).isEmpty)
        }
    }
}

extension DeviceStage {
    fileprivate func write(by path: WritePathTests.Path, to phone: Phone) async throws {
        let master = App.basic(acme.key, acme.masterSecret)
        let message = #"{"title":"T","body":"B"}"#
        let person = #"{"named_user":"ana"}"#
        let push = #"{"audience":\#(person),"device_types":"all","message":\#(message)}"#
        var answers: [Response] = []
        switch path {
        case .serverPush: answers = [await asBackend(.post, "/api/push", push)]
        case .bulk: answers = [await asBackend(.post, "/api/push", "[\(push),\(push)]")]
        case .martletSend, .repeatableSend:
            let headers: Headers = path == .repeatableSend ? ["Idempotency-Key": "a"] : [:]
            let body = #"{"audience":\#(person),"message":\#(message)}"#
            answers = [await call(.post, "/v1/messages", master, body, headers: headers)]
        case .serverSchedule:
            try await schedule(at: "2091-05-06T07:08:09", for: person)
            try await fireAll()
        case .martletSchedule:
            let body = #"{"scheduled_in":60,"message":{"audience":\#(person),"message":\#(message)}}"#
            answers = [await call(.post, "/v1/schedules", master, body)]
            try await fireAll()
        case .tagOfDevice:
            let audience = #"{"channel":"\#(phone.channel)"}"#
            answers = [
                await asBackend(.post, "/api/channels/tags", #"{"audience":\#(audience),"add":{"g":["t"]}}"#),
                await toTag(message),
            ]
        case .tagOfPerson:
            let audience = #"{"named_user_id":"ana"}"#
            answers = [
                await asBackend(
                    .post, "/api/named_users/tags", #"{"audience":\#(audience),"add":{"g":["t"]}}"#),
                await toTag(message),
            ]
        case .expiry: try await advance(seconds: 3601)
        case .erasure: answers = [await call(.delete, "/v1/named-users/ana", master)]
        }
        for answer in answers { #expect((200..<300).contains(answer.status), "\(answer.text)") }
    }

    private func toTag(_ message: String) async -> Response {
        await asBackend(
            .post, "/api/push",
            #"{"audience":{"tag":"t","group":"g"},"device_types":"all","message":\#(message)}"#)
    }

    /// Makes everything due that waits, and sends it.
    private func fireAll() async throws {
        try await script("UPDATE schedules SET due_at = martlet_now()")
        #expect(try await fire() == [])
    }
}
