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
            let sent = try await server.call(
                .post, "/v1/messages", app.key, app.master,
                #"{"audience":{"named_user":"ana"},"message":{"title":"Hello","body":"Hi","extra":{"k":"v"}}}"#
            )
            let known = JSONWriter.bytes { writer in
                writer.object { body in
                    body.member("message", [sent.text("message_id")])
                    body.member("named_user", ["ana"])
                    body.member("channel", [device.channel])
                }
            }
            let callers = [
                ("nobody", nil), ("master", basic(app.key, app.master)), ("app", basic(app.key, app.app)),
                ("device", basic(device.user, device.password)),
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
