import Foundation
import HTTPCore
import InboxWire
import TestSupport
import Testing

/// A message's way from the command line to a device, through the real program.
@Suite struct MessageTests {
    @Test func `what is sent from the command line is in the list, byte for byte, under any locale`()
        async throws
    {
        let title = "accentué 🧪 日本語 \"quoted\" \\ <b>"
        try await withServer { installation, server, app in
            let device = try await Device(of: app, at: server)
            let file = try TestFolder.path()
            try "<p>naïve, from a file</p>".write(toFile: file, atomically: false, encoding: .utf8)
            let bodies = [
                (["--body", "<p>naïve 🐦</p>"], "<p>naïve 🐦</p>"), (["--body", "-"], "<p>from stdin: ß</p>"),
                (["--body-file", file], "<p>naïve, from a file</p>"),
            ]
            for (options, body) in bodies {
                let sent = try await Program.run(
                    "martlet",
                    ["send", "--all", "--title", title, "--extra", "ключ=значение=1", "--json"] + options,
                    app.environment(server).merging(["LANG": "C", "LC_ALL": "C"]) { $1 },
                    input: Array(body.utf8))
                try #require(sent.code == 0, "\(sent.errors)")
                #expect(sent["recipients"] as? Int == 1)
                let message = try #require(try await device.list(at: server).first)
                #expect(message.text("message_id") == sent.text("message_id"))
                #expect(message.text("title") == title)
                #expect(message["extra"]?.text("ключ") == "значение=1")
                let answer = try await server.call(
                    .get, "/api/user/messages/message/\(sent.text("message_id"))/body/", device.user,
                    device.password)
                #expect(String(decoding: answer.body, as: UTF8.self) == body)
            }
        }
    }

    @Test(arguments: ["a+b", "a@b.c", "a b", "a&b=c", "50%", "naïve", "a/b?c#d"])
    func `a person's id may hold any character`(person: String) async throws {
        try await withServer { installation, server, app in
            let device = try await Device(of: app, at: server, person: person)
            let other = try await Device(of: app, at: server, person: "somebody else")
            let sent = try await installation.martlet(
                "send", "--named-user", person, "--title", "Hi", "--body", "x", "--json",
                also: app.environment(server))
            #expect(sent["recipients"] as? Int == 1)
            #expect(try await device.ids(at: server) == [sent.text("message_id")])
            #expect(try await other.ids(at: server) == [])
        }
    }

    @Test func `selectors are joined by or, a rehearsal sends nothing, and nobody is named`() async throws {
        try await withServer { installation, server, app in
            let tagged = try await Device(of: app, at: server, tags: ["vip"])
            let ana = try await Device(of: app, at: server, person: "ana")
            let other = try await Device(of: app, at: server)
            let words = ["--tag", "vip", "--named-user", "ana", "--named-user", "nobody", "--title", "t"]
            for extra in [["--dry-run"], []] {
                let sent = try await Program.run(
                    "martlet", ["send", "--json", "--body", "x"] + words + extra, app.environment(server))
                #expect(sent["recipients"] as? Int == 2)
                #expect(sent["unknown"] as? [String] == ["named_user:nobody"])
            }
            #expect(try await tagged.ids(at: server).count == 1)
            #expect(try await ana.ids(at: server).count == 1)
            #expect(try await other.ids(at: server).isEmpty)
        }
    }

    @Test func `a recalled message is gone, and the command line says so`() async throws {
        try await withServer { installation, server, app in
            let device = try await Device(of: app, at: server, person: "ana")
            let environment = app.environment(server)
            let sent = try await installation.martlet(
                "send", "--named-user", "ana", "--title", "Oops", "--body", "x", "--json", also: environment)
            let id = sent.text("message_id")
            let list = try await installation.martlet("message", "list", also: environment)
            #expect(list.output.contains(id))
            let shown = try await installation.martlet(
                "message", "show", sent.text("push_id"), "--json", also: environment)
            #expect(shown.text("message_id") == id)
            let recalled = try await installation.martlet("message", "recall", id, also: environment)
            #expect(recalled.code == 0)
            let text = try await installation.martlet("message", "show", id, also: environment)
            #expect(text.output.contains("device_types  all\n") && !text.output.contains("null"))
            #expect(try await device.ids(at: server).isEmpty)
            let again = try await installation.martlet("message", "recall", id, also: environment)
            #expect(again.code == 1)
            #expect(again.errors.contains("the message was recalled already"))
        }
    }

    @Test func `a refusal says what is wrong, and what to do`() async throws {
        try await withServer { installation, server, app in
            let environment = app.environment(server)
            let title = try await installation.martlet(
                "send", "--all", "--title", String(repeating: "x", count: 1025), "--body", "x",
                also: environment)
            #expect(title.code == 1)
            #expect(title.errors.contains("message.title"))
            #expect(title.errors.contains("1024"))
            let stranger = try await installation.martlet(
                "send", "--all", "--title", "x", "--body", "x", "--master-secret", app.app, also: environment)
            #expect(stranger.code == 1)
            #expect(stranger.errors.contains("check --app-key and --master-secret"))
            let nowhere = try await installation.martlet(
                "send", "--all", "--title", "x", "--body", "x", "--server", "http://127.0.0.1:1",
                also: environment)
            #expect(nowhere.code == 1)
            #expect(nowhere.errors.contains("check --server"))
        }
    }

    @Test func `tenants cannot meet`() async throws {
        try await withServer { installation, server, acme in
            let globex = try await installation.makeApp("Globex", "--preset", "airship")
            let device = try await Device(of: acme, at: server, person: "ana")
            let foreign = try await Device(of: globex, at: server, person: "ana")
            let sent = try await installation.martlet(
                "send", "--named-user", "ana", "--title", "Hi", "--body", "x", "--json",
                also: acme.environment(server))
            let id = sent.text("message_id")
            #expect(try await device.ids(at: server) == [id])
            #expect(try await foreign.ids(at: server).isEmpty)
            let show = try await installation.martlet("message", "show", id, also: globex.environment(server))
            let unknown = try await installation.martlet(
                "message", "show", "AAAAAAAAAAAAAAAAAAAAAA", also: globex.environment(server))
            #expect(show.code == 1)
            #expect(show.errors == unknown.errors)
            let body = try await server.call(
                .get, "/api/user/messages/message/\(id)/body/", foreign.user, foreign.password)
            #expect(body.status == 404)
            let crossed = try await server.call(.get, "/v1/messages", acme.key, globex.master)
            #expect(crossed.status == 401)
        }
    }

    @Test func `a rotated secret is good until its overlap is over`() async throws {
        try await withServer { installation, server, app in
            let first = try await installation.martlet(
                "key", "rotate", "Acme", "master", "--overlap", "1h", "--json")
            for secret in [app.master, first.text("master_secret")] {
                #expect(try await server.call(.get, "/v1/messages", app.key, secret).status == 200)
            }
            let second = try await installation.martlet("key", "rotate", "Acme", "master", "--json")
            for secret in [app.master, first.text("master_secret")] {
                #expect(try await server.call(.get, "/v1/messages", app.key, secret).status == 401)
            }
            #expect(
                try await server.call(.get, "/v1/messages", app.key, second.text("master_secret")).status
                    == 200)
        }
    }

    @Test func `a deleted app is gone, and only with --yes`() async throws {
        try await withServer { installation, server, app in
            let rehearsal = try await installation.martlet("app", "delete", "Acme")
            #expect(rehearsal.code == 0)
            #expect(rehearsal.output.hasPrefix("would delete Acme: 0 channels, 0 people, 0 messages"))
            #expect(try await server.call(.get, "/v1/messages", app.key, app.master).status == 200)
            let deleted = try await installation.martlet("app", "delete", "Acme", "--yes")
            #expect(deleted.code == 0)
            #expect(try await server.call(.get, "/v1/messages", app.key, app.master).status == 401)
        }
    }

    @Test func `the demo fills a server with what its lines say`() async throws {
        try await withServer { installation, server, _ in
            let environment = ["MARTLET_SERVER": "\(server.base)"]
            for name in ["Demo", "Demo 2"] {
                let demo = try await installation.martlet("demo", "--json", also: environment)
                try #require(demo.code == 0, "\(demo.errors)")
                #expect(demo.text("name") == name)
                #expect((demo["devices"] as? [Any])?.count == 5)
            }
            let text = try await installation.martlet("demo", also: environment)
            let lines = text.output.split(separator: "\n").filter { $0.hasPrefix("    curl -u A") }
            #expect(lines.count == 3)
            for line in lines {
                let answer = try await Program.run("/bin/sh", ["-c", "\(line) --silent --fail"])
                #expect(answer.code == 0, "\(line)")
            }
        }
    }
}

/// Gives `body` a running server with the app Acme.
func withServer(
    _ options: String..., body: (Installation, Server, AppSecrets) async throws -> Void
) async throws {
    try await Installation.with { installation in
        try await installation.serve { server in
            try await body(installation, server, try await installation.makeApp("Acme"))
        }
    }
}
