import Foundation
import HTTPCore
import TestSupport
import Testing

/// Rule 1: what was answered 2xx survives a crash of any process.
@Suite struct CrashTests {
    @Test func `rule 1: kill -9 of server and PostgreSQL during a load loses nothing that was answered`()
        async throws
    {
        let folder = try TestFolder.path()
        var server = try await KilledServer(folder: folder, port: 0)
        let app = try await server.makeApp()
        let load = try Program(
            "simulator",
            [
                "load", "--wire", "device", "--server", server.url, "--devices", "60", "--duration", "12",
                "--people", "20",
                "--rate", "20", "--refresh", "1", "--ride-out", "60",
            ],
            [
                "MARTLET_APP_KEY": app.key, "MARTLET_APP_SECRET": app.app,
                "MARTLET_MASTER_SECRET": app.master,
            ])
        await load.errors.wait(for: "list p99", times: 2)  // a line every other second: the load is on
        server.program.send(signal: SIGKILL)
        _ = await server.program.outcome()
        server = try await KilledServer(folder: folder, port: server.port)
        await load.errors.wait(for: "list p99", times: 4)
        kill(try server.postmaster(), SIGKILL)
        let outcome = await load.outcome()
        #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
        server.program.send(signal: SIGTERM)
        #expect(await server.program.outcome().code == 0)
    }
}

/// A server on a data folder of its own, which is killed and started again.
private struct KilledServer {
    let folder: String
    let program: Program
    let url: String
    let port: Int

    init(folder: String, port: Int) async throws {
        self.folder = folder
        program = try Program("martlet", ["serve", "--data", folder, "--listen", "127.0.0.1:\(port)"])
        guard let url = await program.errors.rest(after: "listening on ") else {
            throw NotServing(errors: await program.outcome().errors)
        }
        self.url = url
        self.port = try #require(URLComponents(string: url)?.port)
    }

    func makeApp() async throws -> AppSecrets {
        let made = try await Program.run(
            "martlet", ["app", "create", "crash", "--preset", "airship", "--data", folder, "--json"])
        try #require(made.code == 0, "\(made.errors)")
        return AppSecrets(
            key: made.text("app_key"), app: made.text("app_secret"), master: made.text("master_secret"))
    }

    /// The process that PostgreSQL wrote down as its own.
    func postmaster() throws -> pid_t {
        let text = try String(contentsOfFile: "\(folder)/postgres/postmaster.pid", encoding: .utf8)
        return try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
    }
}
