import HTTPCore
import InboxModel
import InboxService
import Testing

@Suite struct TenantTests {
    @Test func `another app's ids answer like unknown ones on every route, and nothing changes`() async throws
    {
        try await DeviceStage.open { stage in
            let mine = try await Phone.register(stage)
            let theirs = try await Phone.register(stage, stage.globex)
            let message = try await stage.backend.send(to: try theirs.audience, in: stage.globex)
            let list = try await theirs.list()
            let unknown = "AAAAAAAAAAAAAAAAAAAAAA"
            for id in [message, unknown] {
                #expect(await mine.body(id).status == 404)
                #expect(await mine.call(.get, "/messages/message/\(id)/").status == 404)
                #expect(await mine.call(.post, "/messages/message/\(id)/read/").status == 200)
                #expect(await mine.call(.delete, "/messages/message/\(id)/").status == 200)
                #expect(await mine.batch("delete", [id]).status == 200)
            }
            for user in [theirs.user, unknown] {
                let other = DeviceStage.App.basic(user, mine.password)
                #expect(await stage.call(.get, "/api/user/\(user)/messages/", mine.basic).status == 401)
                #expect(await stage.call(.get, "/api/user/\(user)/messages/", other).status == 401)
            }
            let attach = #"{"ios_channels":{"add":["\#(theirs.channel)"]}}"#
            #expect(await mine.call(.post, "/", attach).status == 200)
            #expect(try await mine.list().ids == [])
            #expect(try await theirs.list(since: list.lastModified).status == 304)
        }
    }

    @Test func `secrets of one app and kind open nothing of another`() async throws {
        try await DeviceStage.open { stage in
            let payload = #"{"channel":{"device_type":"ios"}}"#
            for wrong in [
                DeviceStage.App.basic(stage.acme.key, stage.globex.secret),
                DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret),
                DeviceStage.App.basic(stage.acme.key, ""), DeviceStage.App.basic("x", stage.acme.secret),
            ] {
                let answer = await stage.call(.post, "/api/channels", wrong, payload)
                #expect(answer.status == 401 && answer.headers["www-authenticate"] != nil)
            }
            #expect(await stage.call(.post, "/api/push", stage.acme.basic, "{}").status == 401)
        }
    }
}
