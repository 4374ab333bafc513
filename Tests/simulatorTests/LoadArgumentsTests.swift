import HTTPCore
import SimulatorKit
import Testing

@testable import simulator

struct LoadArgumentsTests {
    private let key = "abcdefghijklmnopqrstuv"
    private let secret = "ABCDEFGHIJKLMNOPQRSTU-"
    private let master = "0123456789012345678_-0"

    private var environment: [String: String] {
        [
            "MARTLET_SERVER": "http://127.0.0.1:9", "MARTLET_APP_KEY": key, "MARTLET_APP_SECRET": secret,
            "MARTLET_MASTER_SECRET": master,
        ]
    }

    @Test func `what is not given by option comes from the environment, and the rest by size`() throws {
        let arguments = try LoadArguments(["--devices", "1000", "--duration=60"], environment)
        #expect(arguments.server.description == "http://127.0.0.1:9")
        #expect(arguments.masterSecret == master)
        #expect(arguments.options.people == 500)
        #expect(arguments.options.sendRate == 50)
        #expect(arguments.options.refresh == .seconds(2))
        #expect(arguments.options.rideOut == .seconds(30))
        #expect(arguments.options.delivery == nil)
    }

    @Test func `an option counts more than the environment, also one that begins with a dash`() throws {
        let words = ["--server", "http://[::1]:80/base", "--app-secret", "-bcdefghijklmnopqrstuv"]
        let arguments = try LoadArguments(words + ["--devices", "1", "--duration", "0.5"], environment)
        #expect(arguments.server.pathPrefix == "/base")
        #expect(arguments.appSecret == "-bcdefghijklmnopqrstuv")
    }

    @Test(arguments: [
        (["--duration", "5"], "--devices is missing"), (["--devices", "5"], "--duration is missing"),
        (["--devices", "0"], "--devices must be a whole number from 1 to 100000"),
        (["--devices", "x"], "--devices must be a whole number from 1 to 100000"),
        (["--server", "https://host"], "--server must be an http:// address"),
        (["--app-key", "short"], "--app-key (or MARTLET_APP_KEY) must be 22"),
        (["--delivery", "both"], "--delivery must be devices, person or auto"),
        (["--devices", "1000", "--people", "5"], "--people must be a whole number from 26"),
        (["--speed", "5"], "there is no option --speed"), (["load"], "load is no option"),
        (["--seed"], "--seed needs a value"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        #expect {
            _ = try LoadArguments(words, environment)
        } throws: { error in
            (error as? UsageError)?.problems.contains { $0.hasPrefix(problem) } == true
        }
    }

    @Test func `what is missing is named with its variable`() {
        #expect {
            _ = try LoadArguments(["--devices", "1", "--duration", "1"], [:])
        } throws: { error in
            (error as? UsageError)?.problems == [
                "--server (or MARTLET_SERVER) is missing", "--app-key (or MARTLET_APP_KEY) is missing",
                "--app-secret (or MARTLET_APP_SECRET) is missing",
                "--master-secret (or MARTLET_MASTER_SECRET) is missing",
            ]
        }
    }

    @Test func `the command that repeats a run holds its seed and no secret`() throws {
        let words = ["--devices", "7", "--duration", "3", "--seed", "42", "--delivery", "person"]
        let arguments = try LoadArguments(words, environment)
        #expect(arguments.command.contains("--seed 42") && arguments.command.contains("--delivery person"))
        #expect(!arguments.command.contains(secret) && !arguments.command.contains(master))
        let again = try LoadArguments(
            arguments.command.split(separator: " ").dropFirst(2).map(String.init), environment)
        #expect(again.command == arguments.command)
    }

    @Test(
        arguments: [
            ([], 2), (["help"], 0), (["load", "--help"], 0), (["unload"], 2), (["load", "--devices"], 2),
        ] as [([String], Int32)])
    func `a command line that is wrong ends with 2`(words: [String], status: Int32) {
        #expect(simulate(words, [:]) == status)
    }
}
