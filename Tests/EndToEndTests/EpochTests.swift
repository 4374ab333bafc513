import HTTPCore
import InboxWire
import Testing

@Suite struct EpochTests {
    @Test func `a new epoch makes every cursor, tag and date worthless beside running servers`() async throws
    {
        try await Installation.with { installation in
            try await installation.serve { server in
                let app = try await installation.makeApp("Acme")
                let device = try await Device(of: app, at: server)
                func call(_ path: String, _ headers: Headers = [:]) async throws -> Response {
                    try await server.send(
                        Request(.get, path, headers: headers), device.user, device.password)
                }
                let inbox = try await call("/v1/inbox")
                let cursor = try JSON.parse(inbox.body).text("cursor")
                let tag = try #require(inbox.headers["etag"])
                let idle = try await call("/v1/inbox/changes?since=\(cursor)")
                #expect(try JSON.parse(idle.body)["reset"] == .bool(false))

                // The database of tests does not wait for the disk, which doctor calls bad.
                let outcome = try await installation.martlet("doctor", "--new-epoch")
                #expect(outcome.errors.contains("a new epoch has begun"))

                // Until the server has noticed that its connections ended.
                var isReset = false
                for _ in 0..<1000 where !isReset {
                    let after = try await call("/v1/inbox/changes?since=\(cursor)")
                    isReset = try JSON.parse(after.body)["reset"] == .bool(true)
                }
                #expect(isReset)
                #expect(try await call("/v1/inbox", ["If-None-Match": tag]).status == 200)
            }
        }
    }
}
