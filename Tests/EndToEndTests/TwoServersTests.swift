import HTTPCore
import InboxWire
import Testing

/// Rule 2: a change that was answered is in the very next list of every device it concerns, on every instance.
@Suite struct TwoServersTests {
    @Test func `at once: what one instance answered the other one shows`() async throws {
        try await withTwoServers { installation, servers, app in
            let device = try await Device(of: app, at: servers[0], person: "ana")
            let sibling = try await Device(of: app, at: servers[1], person: "ana")
            for round in 0..<20 {
                let (here, there) = (servers[round % 2], servers[1 - round % 2])
                let selector = round % 4 < 2 ? #"{"named_user":"ana"}"# : #""all""#
                let id = try await send(selector, of: app, at: here)
                #expect(try await device.ids(at: there).first == id, "round \(round)")
                #expect(try await sibling.ids(at: here).first == id, "round \(round)")

                try await device.mark(id, "unread", at: here)
                let seen = try #require(
                    try await device.list(at: there).first { $0.text("message_id") == id })
                #expect(seen["unread"] == .bool(false), "round \(round)")

                try await sibling.mark(id, "delete", at: there)
                #expect(try await !device.ids(at: here).contains(id), "round \(round)")
                #expect(try await !sibling.ids(at: here).contains(id), "round \(round)")
            }
        }
    }

    @Test func `at once: a recall, a login and a new secret count on both instances`() async throws {
        try await withTwoServers { installation, servers, app in
            let device = try await Device(of: app, at: servers[0])
            let id = try await send(#"{"channel":"\#(device.channel)"}"#, of: app, at: servers[0])
            let path = "/api/user/messages/message/\(id)/body/"
            let before = try await servers[1].call(.get, path, device.user, device.password)
            #expect(before.status == 200)
            let recall = try await servers[0].call(.delete, "/v1/messages/\(id)", app.key, app.master)
            #expect(recall.status == 204)
            let after = try await servers[1].call(.get, path, device.user, device.password)
            #expect(after.status == 404)
            #expect(try await device.ids(at: servers[1]).isEmpty)

            let people = try await Device(of: app, at: servers[0], person: "ben")
            let personal = try await send(#"{"named_user":"ben"}"#, of: app, at: servers[1])
            try await device.associate(with: "ben", at: servers[0])
            #expect(try await device.ids(at: servers[1]) == [personal])
            #expect(try await people.ids(at: servers[0]) == [personal])

            let rotated = try await installation.martlet("key", "rotate", "Acme", "master", "--json")
            for server in servers {
                #expect(try await server.call(.get, "/v1/messages", app.key, app.master).status == 401)
                let new = rotated.text("master_secret")
                #expect(try await server.call(.get, "/v1/messages", app.key, new).status == 200)
            }
        }
    }

    private func withTwoServers(
        _ body: (Installation, [Server], AppSecrets) async throws -> Void
    ) async throws {
        try await withServer { installation, first, app in
            try await installation.serve { second in try await body(installation, [first, second], app) }
        }
    }

    private func send(_ audience: String, of app: AppSecrets, at server: Server) async throws -> String {
        let answer = try await server.call(
            .post, "/v1/messages", app.key, app.master,
            #"{"audience":\#(audience),"message":{"title":"t","body":"b"}}"#)
        try #require(answer.status == 202)
        return answer.text("message_id")
    }
}
