import HTTPServer
import InboxHTTP
import InboxModel
import Testing

@testable import martlet

@Suite struct ServeConfigurationTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:80", "::1", 80), (":0", "0.0.0.0", 0),
        ("localhost:65535", "localhost", 65535),
    ])
    func `a listen address is host and port`(text: String, host: String, port: UInt16) throws {
        #expect(try ListenAddress(text) == ListenAddress(host: host, port: port))
    }

    @Test(arguments: ["", "8080", "127.0.0.1", "::1:80", "host:65536", "host:", "host:-1"])
    func `another listen address is refused`(text: String) {
        #expect(throws: Unreadable.self) { try ListenAddress(text) }
    }

    @Test func `without options it is a private database on this machine alone`() throws {
        let configuration = try read([])
        guard case .folder("./.martlet") = configuration.database else {
            Issue.record("another database")
            return
        }
        #expect(configuration.listen == ListenAddress(host: "127.0.0.1", port: 8080))
        #expect(configuration.loops >= 1)
        #expect(configuration.migrates)
    }

    @Test func `public URL and base path lose their last slash`() throws {
        let configuration = try read(["--public-url", "https://inbox.example.com/mc/", "--base-path", "mc/"])
        #expect(configuration.publicURL == "https://inbox.example.com/mc")
        #expect(configuration.basePath == "/mc")
    }

    @Test func `a limit is set by the name that refusals give it`() {
        let options = Set(ServerLimits.settings.map { $0.name.split(separator: "-").joined(separator: "_") })
        for limit in Limits().all { #expect(options.contains(limit.name), "\(limit.name)") }
    }

    @Test func `every limit can be set, by option and by variable`() throws {
        for setting in ServerLimits.settings {
            let fallback = setting.show(ServerLimits())
            let other = try #require(Int64(fallback)) + 1
            let byOption = try read([setting.option.flag, "\(other)"])
            #expect(setting.show(byOption.limits) == "\(other)", "\(setting.name)")
            let variable = try #require(setting.option.variables.first)
            let byVariable = try read([], [variable: "\(other)"])
            #expect(setting.show(byVariable.limits) == "\(other)", "\(setting.name)")
        }
    }

    @Test func `one number says how much a stream's client may leave waiting`() throws {
        #expect(try read([]).limits.streamPace.waitingBytes == StreamPace().waitingBytes)
        let limits = try read(["--limit-stream-waiting-bytes", "1048576"]).limits
        #expect(limits.streamPace.waitingBytes == 1_048_576 && limits.http.streamWaitingBytes == 1_048_576)
    }

    @Test(arguments: [
        (["--data", "x", "--database", "postgresql://h/x"], "--data and --database exclude each other"),
        (["--data", "x", "--secret-key-file", "k"], "--secret-key-file goes with --database"),
    ])
    func `options that do not go together are refused`(words: [String], problem: String) {
        #expect {
            try read(words)
        } throws: { error in
            (error as? CommandFailure)?.lines.contains { $0.hasPrefix(problem) } ?? false
        }
    }

    @Test func `a flag counts before the variable of the other database`() throws {
        let configuration = try read(["--data", "here"], ["DATABASE_URL": "postgresql://h/x"])
        guard case .folder("here") = configuration.database else {
            Issue.record("another database")
            return
        }
    }

    @Test func `a malformed database URL is refused without its password`() {
        #expect {
            try read(["--database", "postgresql://ana:hunter2@h:port/x y"])
        } throws: { error in
            let lines = (error as? CommandFailure)?.lines ?? []
            return !lines.isEmpty && !lines.joined().contains("hunter2")
        }
    }

    private func read(
        _ words: [String], _ variables: [String: String] = [:]
    ) throws -> ServeConfiguration {
        var arguments = Arguments(words, of: .serve, environment: Environment(variables))
        return try ServeConfiguration(&arguments)
    }
}
