import Foundation
import HTTPCore
import InboxWire
import TestSupport
import Testing

/// Messages to more than one request delivers to, through the real program.
@Suite struct DeliveryTests {
    @Test func `a send to many is followed until all have it`() async throws {
        try await Installation.with { installation in
            try await installation.serve(
                "--limit-recipients-in-request", "2", "--limit-fan-out-chunk", "1"
            ) { server in
                let app = try await installation.makeApp("Acme")
                let environment = app.environment(server)
                var devices: [Device] = []
                for _ in 0..<3 { devices.append(try await Device(of: app, at: server, tags: ["vip"])) }
                let message = ["--title", "Hi", "--body", "x"]
                let sent = try await Program.run(
                    "martlet", ["send", "--tag", "vip", "--wait"] + message, environment)
                try #require(sent.code == 0, "\(sent.errors)")
                #expect(sent.output.contains("delivering to about 3 recipients\n"))
                #expect(sent.output.hasSuffix("sent to 3 recipients\n"))
                for device in devices { #expect(try await device.ids(at: server).count == 1) }
                let answer = try await Program.run(
                    "martlet", ["send", "--tag", "vip", "--json"] + message, environment)
                #expect(answer.text("state") == "delivering" && answer["estimate"] as? Int == 3)
                let waited = try await installation.martlet(
                    "message", "wait", answer.text("message_id"), "--json", also: environment)
                #expect(waited.text("state") == "sent" && waited["recipients"] as? Int == 3)
                for device in devices { #expect(try await device.ids(at: server).count == 2) }
                _ = try await installation.martlet(
                    "message", "recall", answer.text("message_id"), "--json", also: environment)
                let inVain = try await Program.run(
                    "martlet", ["message", "wait", answer.text("message_id")], environment)
                #expect(inVain.code == 1 && inVain.output == "recalled from 3 recipients\n")
            }
        }
    }

    @Test func `reported fault 17: a send of the command line moves the date of a list`() async throws {
        try await withServer { installation, server, app in
            let device = try await Device(of: app, at: server, person: "ana")
            func list(since date: String? = nil) async throws -> Response {
                try await server.send(
                    Request(
                        .get, "/api/user/\(device.user)/messages/",
                        headers: date.map { ["If-Modified-Since": $0] } ?? [:]), device.user, device.password)
            }
            for audience in [["--named-user", "ana"], ["--channel", device.channel], ["--all"]] {
                let date = try #require(try await list().headers["last-modified"])
                #expect(try await list(since: date).status == 304)
                let sent = try await Program.run(
                    "martlet", ["send", "--title", "Hi", "--body", "x"] + audience, app.environment(server))
                #expect(sent.code == 0, "\(sent.errors)")
                let after = try await list(since: date)
                #expect(after.status == 200 && after.headers["last-modified"] != date)
            }
        }
    }

    @Test func `a send is repeated by its key, and sends nothing`() async throws {
        try await withServer { installation, server, app in
            let device = try await Device(of: app, at: server, person: "ana")
            let words = ["send", "--named-user", "ana", "--title", "Hi", "--body", "x", "--json"]
            let key = ["--idempotency-key", "order 7731"]
            let first = try await Program.run("martlet", words + key, app.environment(server))
            let again = try await Program.run("martlet", words + key, app.environment(server))
            #expect(first.code == 0 && first.output == again.output)
            #expect(try await device.ids(at: server) == [first.text("message_id")])
        }
    }
}
