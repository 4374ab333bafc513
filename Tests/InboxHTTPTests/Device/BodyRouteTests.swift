import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct BodyRouteTests {
    @Test func `a body is sent as it is, with a charset and without being cached unasked`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let html = "<p>Grüße — 日本語 😀</p>"
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme, body: html)
            let answer = await phone.body(message)
            #expect(answer.status == 200 && answer.text == html)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["cache-control"] == "private, no-cache")
            #expect(answer.headers["vary"] == "Authorization")
            let tag = try #require(answer.headers["etag"])
            #expect(await phone.body(message, headers: ["If-None-Match": tag]).status == 304)
            #expect(try await phone.list().unread == [message], "fetching a body reads nothing")
        }
    }

    @Test func `a native layout keeps its type`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let type = "application/vnd.urbanairship.thomas+json; version=1;"
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme, body: "{}") {
                $0.draft.contentType = type
            }
            #expect(await phone.body(message).headers["content-type"] == type)
            #expect(try await phone.list().messages[0]["content_type"] == .string(type))
        }
    }

    @Test func `the URLs of a list lead to body and read`() async throws {
        try await DeviceStage.open(publicURL: "https://inbox.example/mc/") { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let listed = try await phone.list().messages[0]
            for name in ["message_url", "message_body_url", "message_read_url"] {
                let url = try #require(listed[name]?.asText)
                let base = "https://inbox.example/mc/api/user/messages/message/\(message)/"
                #expect(url.hasPrefix(base))
                let path = String(url.dropFirst("https://inbox.example/mc".count))
                let method: HTTPCore.Method = name == "message_read_url" ? .post : .get
                #expect(await stage.call(method, path, phone.basic).status == 200)
            }
        }
    }

    @Test func `what is gone, foreign, unknown or no id is 404, for a browser a page that people can read`()
        async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let other = try await Phone.register(stage)
            let stranger = try await Phone.register(stage, stage.globex)
            let deleted = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let foreign = try await stage.backend.send(to: try other.audience, in: stage.acme)
            let strange = try await stage.backend.send(to: try stranger.audience, in: stage.globex)
            let everyones = try await stage.backend.send(to: .everyone, in: stage.globex)
            #expect(await phone.batch("delete", [deleted]).status == 200)
            for message in [deleted, foreign, strange, everyones, "AAAAAAAAAAAAAAAAAAAAAA", "x", "%20"] {
                let page = await phone.body(message, headers: ["Accept": "text/html,*/*"])
                #expect(page.status == 404 && page.text.contains("no longer available"), "\(message)")
                #expect(page.headers["content-type"] == "text/html; charset=utf-8")
                #expect(try await phone.body(message).json["ok"] == .bool(false))
            }
            #expect(await other.body(foreign).status == 200)
            #expect(await stranger.body(strange).status == 200)
        }
    }

    @Test func `a body needs its reader's credentials`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let path = "/api/user/messages/message/\(message)/body/"
            let answer = await stage.call(.get, path)
            #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
            let other = try await Phone.register(stage)
            #expect(await stage.call(.get, path, other.basic).status == 404)
            let own = "/api/user/\(phone.user)/messages/message/\(message)/body/"
            #expect(await stage.call(.get, own, other.basic).status == 401)
            #expect(await stage.call(.get, own, phone.basic).status == 200)
        }
    }
}
