import Crypto
import Foundation
import HTTPCore
import InboxWire
import Testing

/// The API's own description, judged by a published program.
@Suite struct DocumentTests {
    @Test func `the document is valid OpenAPI 3.1`() async throws {
        try await withServer { _, server, _ in
            let document = try await server.call(.get, "/v1/openapi.json", "", "")
            try #require(document.status == 200)
            let outcome = try await Program.run(
                try python(), ["-m", "openapi_spec_validator", "-"], input: document.body)
            #expect(outcome.code == 0, "\(outcome.output)\n\(outcome.errors)")
        }
    }

    @Test func `the server keeps to its document, whoever calls and whatever is sent`() async throws {
        try await withServer { _, server, app in
            let device = try await Device(of: app, at: server, person: "ana")
            let known = try await makeKnown(app, at: server)
            let opened = try await server.call(
                .post, "/v1/sessions", app.key, app.master, #"{"named_user_id":"ana"}"#)
            let callers = [
                ("nobody", nil), ("app", basic(app.key, app.app)),
                ("session", "Bearer \(opened.text("token"))"),
                ("device", basic(device.user, device.password)), ("master", basic(app.key, app.master)),
            ]
            for (caller, authorization) in callers {
                let outcome = try await Program.run(
                    try python(),
                    [script("hold_to_document.py"), "\(server.base)", caller]
                        + (authorization.map { [$0] } ?? []),
                    ["MARTLET_KNOWN": String(decoding: known, as: UTF8.self)])
                #expect(outcome.code == 0, "\(caller): \(outcome.output)\n\(outcome.errors)")
            }
        }
    }

    /// Makes what calls can be about, and tells its ids as JSON by the names of parameters.
    private func makeKnown(_ app: AppSecrets, at server: Server) async throws -> [UInt8] {
        // Several of each, since calls delete them.
        let people = (1...5).map { "person \($0)" }
        var messages: [String] = []
        for person in people {
            _ = try await Device(of: app, at: server, person: person)
            let sent = try await server.call(
                .post, "/v1/messages", app.key, app.master,
                #"{"audience":{"named_user":["ana","\#(person)"]},"message":{"title":"Hello","body":"Hi"}}"#)
            messages.append(sent.text("message_id"))
        }
        let scheduled = try await server.call(
            .post, "/v1/schedules", app.key, app.master,
            #"{"scheduled_time":"2099-01-01T00:00:00Z","message":{"audience":"all","#
                + #""message":{"title":"Hello","body":"Hi"}}}"#)
        try #require(scheduled.status == 201, "\(scheduled.text("detail"))")
        return JSONWriter.bytes { writer in
            writer.object { body in
                body.member("message", messages)
                body.member("named_user", people)
                body.member("schedule", [scheduled.text("schedule_id")])
            }
        }
    }

    private func basic(_ user: String, _ password: String) -> String {
        "Basic \(Base64.encode(Array("\(user):\(password)".utf8)))"
    }
}

/// The path of a script that lies beside the tests.
func script(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name).path
}

/// The interpreter that `./test` has prepared, with the packages that tests drive.
func python() throws -> String {
    if let path = ProcessInfo.processInfo.environment["MARTLET_TEST_PYTHON"] { return path }
    let path = ".venv/bin/python"
    try #require(FileManager.default.isExecutableFile(atPath: path), "`./test` makes .venv")
    return path
}
