import Foundation
import HTTPCore
import SimulatorKit
import Testing

@testable import simulator

struct FleetArgumentsTests {
    private let environment = [
        "MARTLET_SERVER": "http://127.0.0.1:9", "MARTLET_APP_KEY": "abcdefghijklmnopqrstuv",
        "MARTLET_APP_SECRET": "ABCDEFGHIJKLMNOPQRSTU-", "MARTLET_MASTER_SECRET": "0123456789012345678_-0",
    ]

    private func problems(_ words: [String]) -> [String] {
        do throws(UsageError) {
            _ = try FleetArguments(words, environment)
            return []
        } catch {
            return error.problems
        }
    }

    /// A file with so many apps, as `martlet app create --json` prints them.
    private func file(apps: Int) throws -> String {
        let path = NSTemporaryDirectory() + "apps-\(UUID().uuidString).json"
        let line =
            #"{"app_key":"abcdefghijklmnopqrstuv","app_secret":"ABCDEFGHIJKLMNOPQRSTU-","#
            + #""master_secret":"0123456789012345678_-0","name":"a"}"# + "\n"
        try String(repeating: line, count: apps).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `without options a small run begins, bounded in devices and time`() throws {
        let arguments = try FleetArguments([], environment)
        #expect(arguments.options.devices == 100)
        #expect(arguments.options.duration == .seconds(30))
        #expect(arguments.options.profile == .commuter)
        #expect(arguments.options.settings == [nil])
    }

    @Test(
        arguments: [([], .seconds(10)), (["--hint-within", "2.5"], .milliseconds(2500))]
            as [([String], Duration)])
    func `a stream has ten seconds to tell of a change, or as long as is said`(
        words: [String], within: Duration
    ) throws {
        #expect(try FleetArguments(words, environment).options.hintsWithin == within)
    }

    @Test func `nothing is asked of streams where that is said`() throws {
        #expect(try FleetArguments(["--hint-within", "0"], environment).options.hintsWithin == nil)
        #expect(problems(["--hint-within", "-1"]).count == 1)
    }

    @Test(arguments: [
        "http://198.51.100.7:8080", "http://inbox.example.com", "http://127.evil.example",
        "http://127.0.0.1.nip.example",
    ])
    func `another host than this machine needs a word from its owner`(server: String) throws {
        let host = try #require(BaseURL(server)).host
        #expect(problems(["--server", server]).contains { $0.contains("--i-own-this-server \(host)") })
        #expect(problems(["--server", server, "--i-own-this-server", "another.host"]).count == 1)
        #expect(problems(["--server", server, "--i-own-this-server", host]) == [])
    }

    @Test func `several apps come from a file, and a shard takes every n-th`() throws {
        let path = try file(apps: 6)
        let whole = try FleetArguments(["--apps", path, "--profile", "shared-phone"], environment)
        #expect(whole.apps.count == 6)
        #expect(Set(whole.options.settings.compactMap(\.self)) == Set(AppChoice.all))
        let shard = try FleetArguments(
            ["--apps", path, "--shard", "2/3", "--run", "r", "--devices", "90"], environment)
        #expect(shard.apps.count == 2)
        #expect(shard.options.devices == 30)
        #expect(
            problems(["--shard", "2/3"]).contains { $0.contains("--shard needs an app for each process") })
    }

    @Test(arguments: [
        (["--profile", "nobody"], "there is no profile nobody"),
        (["--profile", "./missing.json"], "cannot be read"),
        (["--apps", "/missing.json"], "cannot be read"),
        (["--shard", "3/2"], "--shard must be like 1/4"), (["--delivery", "x"], "--delivery must be"),
        (["--filter", "x"], "--filter must be"), (["--run", "a b"], "--run must be"),
        (["--devices", "0"], "--devices must be a whole number from 1 to 100000"),
        (["--speed", "5"], "there is no option --speed"),
        (["--server", "ftp://127.0.0.1"], "--server must be an http:// address"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        #expect(problems(words).contains { $0.contains(problem) }, "\(problems(words))")
    }

    @Test func `the command that repeats a run holds no secret`() throws {
        let arguments = try FleetArguments(
            ["--master-secret", "0123456789012345678_-0", "--seed", "7", "--devices=5"], environment)
        #expect(arguments.command == "simulator load --devices=5 --seed 7")
    }
}
