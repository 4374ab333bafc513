import Foundation
import HTTPCore
import TestSupport
import Testing

/// How `martlet serve` begins and ends.
@Suite struct StartTests {
    @Test func `a misconfigured start names all problems and exits 2`() async throws {
        let outcome = try await Program.run(
            "martlet",
            [
                "serve", "--lisen", "x", "--loops", "0", "--public-url", "example.com",
                "--limit-title-bytes=many",
            ],
            ["MARTLET_NO_MIGRATE": "perhaps"])
        #expect(outcome.code == 2)
        #expect(
            outcome.errorLines == [
                "martlet: unknown option --lisen; did you mean --listen?",
                "martlet: unexpected word: x",
                "martlet: --public-url must be an absolute http or https URL without query, such as "
                    + "https://inbox.example.com",
                "martlet: --loops must be a whole number from 1 to 256",
                "martlet: MARTLET_NO_MIGRATE is neither true nor false",
                "martlet: --limit-title-bytes must be a whole number from 1 to 1048576",
            ])
    }

    @Test(arguments: [
        (["serv"], "martlet: unknown command serv; did you mean serve?"),
        (
            ["app"],
            "martlet: app alone is no command; there are: app create, app list, app show, app set, app delete"
        ),
        (["app", "lst"], "martlet: unknown command app lst; did you mean app list?"),
        ([], "martlet: no command; `martlet --help` lists them"),
    ])
    func `a command that does not exist is a usage error, with what may be meant`(
        words: [String], line: String
    ) async throws {
        let outcome = try await Program.run("martlet", words)
        #expect(outcome.code == 2)
        #expect(outcome.errorLines.first == line)
        #expect(outcome.output.isEmpty)
    }

    @Test func `a database without a key file is a usage error`() async throws {
        let outcome = try await Program.run(
            "martlet", ["serve"], ["DATABASE_URL": "postgresql://localhost/x"])
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains("--secret-key-file (or MARTLET_SECRET_KEY_FILE) is missing"))
    }

    @Test func `a misspelt variable is named`() async throws {
        let outcome = try await Program.run("martlet", ["version"], ["MARTLET_LISTN": "x"])
        #expect(outcome.code == 0)
        #expect(
            outcome.errorLines == [
                "martlet: warning: MARTLET_LISTN means nothing; did you mean MARTLET_LISTEN?"
            ])
    }

    #if os(Linux)  // others have no /dev/full
        @Test func `an answer that could not be written is a failure`() async throws {
            let script = "exec \"$0\" version >/dev/full"
            let outcome = try await Program.run("/bin/sh", ["-c", script, Program.url(of: "martlet").path])
            #expect(outcome.code == 1)
            #expect(outcome.errorLines == ["martlet: the answer could not be written"])
        }
    #endif

    @Test func `a key that does not fit the database is refused with advice`() async throws {
        try await Installation.with { installation in
            try await installation.serve { _ in }
            let outcome = try await installation.martlet(
                "serve", "--listen", "127.0.0.1:0",
                also: ["MARTLET_SECRET_KEY_FILE": try Installation.keyFile()])
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("is not the key that this database was made with"))
            #expect(outcome.errors.contains("use the same secret key file for all servers"))
        }
    }

    @Test func `with --no-migrate an empty database is refused with advice`() async throws {
        try await Installation.with { installation in
            let outcome = try await installation.martlet("serve", "--no-migrate", "--listen", "127.0.0.1:0")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("run `martlet migrate` first"))
        }
    }

    @Test func `a database that cannot be reached is refused without its password`() async throws {
        let outcome = try await Program.run(
            "martlet", ["app", "list"], ["DATABASE_URL": "postgresql://ana:hunter2@127.0.0.1:1/x"])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("cannot be reached"))
        #expect(!outcome.errors.contains("hunter2"))
    }

    @Test func `two servers do not share a port`() async throws {
        try await Installation.with { installation in
            try await installation.serve { server in
                let outcome = try await installation.martlet(
                    "serve", "--listen", "127.0.0.1:\(server.base.port)")
                #expect(outcome.code == 1)
                #expect(outcome.errors.contains("Address already in use"))
            }
        }
    }

    @Test(arguments: ["1", "2"])
    func `a request in flight is answered after SIGTERM, by any number of loops`(loops: String) async throws {
        try await Installation.with { installation in
            let app = try await installation.migrated().makeApp("Acme")
            try await installation.serve("--loops", loops) { server in
                let upload = try SlowUpload(to: server, of: app)
                try await upload.waitUntilServerReads()
                server.program.end()
                try #require(await server.program.errors.rest(after: "draining") != nil)
                let answer = await upload.finish()
                #expect(answer.output.contains("HTTP/1.1 202"))
                #expect(answer.output.contains("Connection: close"))
            }
        }
    }

    @Test func `a second signal ends the server at once`() async throws {
        try await Installation.with { installation in
            let app = try await installation.migrated().makeApp("Acme")
            let program = try Program(
                "martlet", ["serve", "--listen", "127.0.0.1:0"], installation.environment)
            let url = try #require(await program.errors.rest(after: "listening on "))
            let server = Server(base: try #require(BaseURL(url)), program: program)
            let upload = try SlowUpload(to: server, of: app)
            try await upload.waitUntilServerReads()
            program.send(signal: SIGTERM)
            try #require(await program.errors.rest(after: "draining") != nil)
            program.send(signal: SIGTERM)
            #expect(await program.outcome().code == 128 + SIGTERM)
            _ = await upload.finish()
        }
    }

    @Test func `SIGTERM during the first start ends it, and the PostgreSQL that it has started`() async throws
    {
        let folder = try TestFolder.path()
        let program = try Program("martlet", ["serve", "--data", folder, "--listen", "127.0.0.1:0"])
        try #require(await program.errors.rest(after: "made \(folder)") != nil)
        program.send(signal: SIGTERM)
        let outcome = await program.outcome()
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/postgres/postmaster.pid"))
    }

    @Test(arguments: [
        ["app", "list"], ["app", "delete", "x"], ["key", "list", "x"], ["key", "rotate", "x", "app"],
        ["doctor"], ["migrate", "--dry-run"],
    ])
    func `what asks about data in the wrong folder is refused and makes none`(words: [String]) async throws {
        let folder = try TestFolder.path()
        let outcome = try await Program.run("martlet", words, ["MARTLET_DATA": folder])
        #expect(outcome.code == 1)
        #expect(outcome.errorLines.first == "martlet: there are no data in \(folder)")
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `a data folder keeps its apps, and other commands use it beside the server`() async throws {
        let folder = try TestFolder.path()
        let installation = Installation(environment: ["MARTLET_DATA": folder])
        let made = try await installation.martlet("migrate")
        #expect(made.errors == "made \(folder), with a PostgreSQL of its own\n")
        let first = try await installation.makeApp("Acme")
        try await installation.serve { server in
            let second = try await installation.makeApp("Globex")
            let sent = try await installation.martlet(
                "send", "--all", "--title", "Hi", "--body", "x", also: second.environment(server))
            #expect(sent.code == 0)
            let refused = try await installation.martlet("serve", "--listen", "127.0.0.1:0")
            #expect(refused.code == 1)
            #expect(refused.errors.contains("owns the data folder"))
        }
        let list = try await installation.martlet("app", "list")
        #expect(list.output.contains(first.key))
        #expect(list.output.contains("Globex"))
    }
}

extension Installation {
    /// The same after its schema was made.
    func migrated() async throws -> Installation {
        let outcome = try await martlet("migrate")
        try #require(outcome.code == 0, "\(outcome.errors)")
        return self
    }
}

/// A send whose body comes only when it is told to, by curl.
private struct SlowUpload {
    private let curl: Program

    init(to server: Server, of app: AppSecrets) throws {
        curl = try Program(
            "/usr/bin/env",
            [
                "curl", "--silent", "--verbose", "--include", "--http1.1", "--user",
                "\(app.key):\(app.master)",
                "--header", "Expect: 100-continue", "--header", "Content-Type: application/json", "--request",
                "POST", "--upload-file", "-", "\(server.base)/v1/messages",
            ])
    }

    /// With its 100 the server says that it has the head.
    func waitUntilServerReads() async throws {
        try #require(await curl.errors.rest(after: "100 Continue") != nil)
    }

    func finish() async -> Program.Outcome {
        curl.write(Array(#"{"audience":"all","message":{"title":"Late","body":"x"}}"#.utf8))
        return await curl.outcome()
    }
}
