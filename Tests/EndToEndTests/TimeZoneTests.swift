import HTTPCore
import InboxWire
import Testing

/// A server whose machine has a time zone of its own.
@Suite struct TimeZoneTests {
    /// Another address would be another list, of a later date.
    private static let name = ["--public-url", "https://inbox.example.com"]

    @Test func `reported fault 14: times read the same wherever the server stands`() async throws {
        try await Installation.with { installation in
            let (app, device, message, shown) = try await installation.serve(Self.name[0], Self.name[1]) {
                server in
                let app = try await installation.makeApp("Acme")
                let device = try await Device(of: app, at: server)
                let sent = try await server.call(
                    .post, "/v1/messages", app.key, app.master,
                    #"{"audience":"all","message":{"title":"t","body":"b"}}"#)
                try #require(sent.status == 202)
                #expect(try await schedule(at: server, of: app) == "2091-05-06T07:08:09.000Z")
                let message = sent.text("message_id")
                return (app, device, message, try await times(server, app, device, message))
            }
            #expect(shown.count > 10)
            let far = Installation(
                environment: installation.environment.merging(["TZ": "America/St_Johns"]) { $1 })
            try await far.serve(Self.name[0], Self.name[1]) { server in
                let elsewhere = try await times(server, app, device, message)
                #expect(elsewhere == shown)
                #expect(try await schedule(at: server, of: app) == "2091-05-06T07:08:09.000Z")
            }
        }
    }

    /// Makes a schedule; its time, as it is shown.
    private func schedule(at server: Server, of app: AppSecrets) async throws -> String {
        let made = try await server.call(
            .post, "/v1/schedules", app.key, app.master,
            #"""
            {"scheduled_time":"2091-05-06T07:08:09",
             "message":{"audience":"all","message":{"title":"t","body":"b"}}}
            """#)
        try #require(made.status == 201)
        return made.text("scheduled_time")
    }

    /// All times that are shown: by both lists, to the backend on both APIs, and by the audit.
    private func times(
        _ server: Server, _ app: AppSecrets, _ device: Device, _ message: String
    ) async throws -> [String] {
        var times: [String] = []
        for (path, user, password) in [
            ("/api/user/\(device.user)/messages/", device.user, device.password),
            ("/v1/inbox", device.user, device.password), ("/v1/messages/\(message)", app.key, app.master),
            ("/v1/schedules", app.key, app.master), ("/api/schedules", app.key, app.master),
            ("/api/channels/\(device.channel)", app.key, app.master), ("/v1/audit", app.key, app.master),
        ] {
            let answer = try await server.call(.get, path, user, password)
            try #require(answer.status == 200, "\(path)")
            let text = String(decoding: answer.body, as: UTF8.self)
            times += text.matches(of: /"\d{4}-\d\d-\d\d[T ][^"]*"/).map { "\($0.output)" }
            if let date = answer.headers["last-modified"] { times.append(date) }
        }
        return times
    }
}
