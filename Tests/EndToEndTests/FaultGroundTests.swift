import EventLoop
import FaultProxy
import Foundation
import HTTPCore
import InboxWire
import Platform
import SimulatorKit
import TestSupport
import Testing

@testable import simulator

/// What a plan's deeds do to real servers, and that nothing is left of them.
@Suite(.timeLimit(.minutes(3)))
struct FaultGroundTests {
    @Test func `what is killed is missed by nobody for long, and comes back where it was`() async throws {
        try await withGround { ground, proxy, app in
            let server = Server(base: BaseURL(host: "127.0.0.1", port: proxy.port, pathPrefix: ""))
            let device = try await Device(of: app, at: server)
            let ports = await ground.ports
            try await ground.apply(.killServer(0))
            var sent = [try await send(to: device, of: app, at: server)]
            try await ground.apply(.startServer(0))
            try await ground.apply(.stopServer(1))
            sent.append(try await send(to: device, of: app, at: server))
            try await ground.apply(.killDatabase)
            #expect(try await server.call(.get, "/readyz", "", "").status == 503)
            try await ground.apply(.startDatabase)
            sent.append(try await send(to: device, of: app, at: server))
            try await ground.apply(.startServer(1))
            try await ground.apply(.pauseServer(0))
            try await ground.apply(.resumeServer(0))
            #expect(try await device.ids(at: server) == sent.reversed())
            #expect(await ground.ports == ports)
        }
    }

    @Test func `the database's clock goes forward, for messages that come then`() async throws {
        try await withGround { ground, proxy, app in
            let server = Server(base: BaseURL(host: "127.0.0.1", port: proxy.port, pathPrefix: ""))
            let device = try await Device(of: app, at: server)
            _ = try await send(to: device, of: app, at: server)
            try await ground.apply(.stepDatabaseClock(.seconds(2 * 86_400)))
            _ = try await send(to: device, of: app, at: server)
            let days = try await device.list(at: server).map { $0.text("message_sent").prefix(10) }
            #expect(Set(days).count == 2)
        }
    }

    @Test(arguments: [FaultDeed.Restore.whole, .dataAlone])
    func `a restored dump knows nothing of what came after it, and its cursors neither`(
        restore: FaultDeed.Restore
    ) async throws {
        try await withGround { ground, proxy, app in
            let server = Server(base: BaseURL(host: "127.0.0.1", port: proxy.port, pathPrefix: ""))
            let device = try await Device(of: app, at: server)
            let before = try await send(to: device, of: app, at: server)
            try await ground.apply(.takeDump)
            try await ground.apply(.stepDatabaseClock(.seconds(60)))
            _ = try await send(to: device, of: app, at: server)
            let inbox = try await server.call(.get, "/v1/inbox", device.user, device.password)
            let changes = "/v1/inbox/changes?since=\(inbox.text("cursor"))"
            let idle = try await server.call(.get, changes, device.user, device.password)
            #expect(idle.json["reset"] == .bool(false))
            try await ground.apply(.restoreDump(restore))
            #expect(try await device.ids(at: server) == [before])
            let after = try await server.call(.get, changes, device.user, device.password)
            #expect(after.json["reset"] == .bool(true))
            let later = try await send(to: device, of: app, at: server)
            #expect(try await device.ids(at: server) == [later, before])
        }
    }

    @Test func `after the stop nothing runs and nothing lies about`() async throws {
        let started = Lock<(processes: [pid_t], folder: String)>(([], ""))
        try await withGround { ground, _, _ in
            try await ground.apply(.pauseServer(1))
            let processes = await ground.processes
            started.withLock { [folder = ground.folder] in $0 = (processes, folder) }
        }
        let (processes, folder) = started.withLock { $0 }
        #expect(processes.count == 3)
        for process in processes { #expect(kill(process, 0) == -1) }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `whoever ends without a word has its servers ended by the caretaker`() async throws {
        let folder = try TestFolder.path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let server = try Program("/bin/sleep", ["600"])
        try "\(server.processID)\n".write(toFile: "\(folder)/server-0.pid", atomically: true, encoding: .utf8)
        let caretaker = try Caretaker(of: folder)
        try await caretaker.end()
        #expect(await server.outcome().code == 128 + SIGKILL)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test func `what does not start is named, with where its log is`() async throws {
        try await withLoop { loop in
            var options = ServerGround.Options()
            options.program = "/bin/false"
            let ground = try ServerGround(options, on: loop)
            let error = await #expect(throws: GroundError.self) { try await ground.start() }
            #expect(error?.what == "`/bin/false migrate --database …` failed (1)")
            #expect(error?.log == "\(ground.folder)/commands.log")
            #expect(FileManager.default.fileExists(atPath: "\(ground.folder)/commands.log"))
            #expect(!FileManager.default.fileExists(atPath: "\(ground.folder)/data"))
            try FileManager.default.removeItem(atPath: ground.folder)
        }
    }

    /// Gives `body` a ground with two servers, a proxy before them that does no harm, and an app.
    private func withGround(
        _ body: @escaping @Sendable (ServerGround, FaultProxy, AppSecrets) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            var options = ServerGround.Options()
            options.program = Program.url(of: "martlet").path
            let ground = try ServerGround(options, on: loop)
            try await ground.start()
            let proxy = try FaultProxy(loop: loop, targets: await ground.ports, seed: 1)
            let result: Result<Void, any Error>
            do {
                let app = try await ground.makeApp("Acme")
                let secrets = AppSecrets(key: app.key, app: app.appSecret, master: app.masterSecret)
                result = .success(try await body(ground, proxy, secrets))
            } catch {
                result = .failure(error)
            }
            await proxy.close()
            try await ground.stop()
            try result.get()
        }
    }

    private func send(to device: Device, of app: AppSecrets, at server: Server) async throws -> String {
        let answer = try await server.call(
            .post, "/v1/messages", app.key, app.master,
            #"{"audience":{"channel":"\#(device.channel)"},"message":{"title":"t","body":"b"}}"#)
        try #require(answer.status == 202, "\(answer.status)")
        return answer.text("message_id")
    }
}

extension ServerGround {
    /// The processes of all servers, and PostgreSQL's.
    fileprivate var processes: [pid_t] {
        instances.compactMap(\.processID) + [database.postmaster].compactMap(\.self)
    }
}
