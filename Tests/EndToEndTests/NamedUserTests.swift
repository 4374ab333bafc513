import Foundation
import HTTPCore
import InboxWire
import TestSupport
import Testing

/// People from the command line, through the real program.
@Suite struct NamedUserTests {
    @Test func `a person is shown, exported and erased`() async throws {
        try await withServer { installation, server, app in
            let device = try await Device(of: app, at: server, person: "ana b/c")
            let sent = try await installation.martlet(
                "send", "--named-user", "ana b/c", "--title", "Hi", "--body", "für ana", "--json",
                also: app.environment(server))
            let shown = try await installation.martlet(
                "named-user", "show", "ana b/c", "--json", also: app.environment(server))
            #expect(shown["unread_count"] as? Int == 1 && shown.text("named_user_id") == "ana b/c")

            let file = try TestFolder.path()
            let exported = try await installation.martlet(
                "named-user", "export", "ana b/c", "--output", file, also: app.environment(server))
            try #require(exported.code == 0, "\(exported.errors)")
            let document = try JSON.parse(Array(try Data(contentsOf: URL(fileURLWithPath: file))))
            guard case .array(let messages)? = document["messages"] else { return }
            #expect(messages.map { $0.text("message_id") } == [sent.text("message_id")])
            #expect(messages.first?.text("body") == Data("für ana".utf8).base64EncodedString())
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await installation.martlet(
                "named-user", "export", "ana b/c", "--output", file, also: app.environment(server))
            #expect(again.code == 1 && again.errors.contains("exists already"))

            let rehearsal = try await installation.martlet(
                "named-user", "erase", "ana b/c", "--dry-run", also: app.environment(server))
            #expect(rehearsal.code == 0 && rehearsal.output.contains("1 message of nobody else"))
            #expect(try await device.ids(at: server).count == 1)
            let erased = try await installation.martlet(
                "named-user", "erase", "ana b/c", "--yes", also: app.environment(server))
            #expect(erased.code == 0)
            #expect(try await device.ids(at: server).isEmpty)
            let gone = try await installation.martlet(
                "named-user", "show", "ana b/c", also: app.environment(server))
            #expect(gone.code == 1 && gone.errors.contains("named user not found"))
        }
    }

    @Test func `without --yes the id is to be typed again`() async throws {
        try await withServer { installation, server, app in
            _ = try await Device(of: app, at: server, person: "ana")
            for (typed, code) in [("", Int32(1)), ("Ana\n", 1), ("ana\n", 0)] {
                let outcome = try await installation.martlet(
                    "named-user", "erase", "ana", input: Array(typed.utf8), also: app.environment(server))
                #expect(outcome.code == code, "\(outcome.errors)")
                #expect(outcome.errors.contains("1 device to log out"))
            }
            let both = try await installation.martlet(
                "named-user", "erase", "ana", "--yes", "--dry-run", also: app.environment(server))
            #expect(both.code == 2)
        }
    }
}
