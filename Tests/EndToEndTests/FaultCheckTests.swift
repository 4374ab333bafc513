import Foundation
import TestSupport
import Testing

@Suite struct FaultCheckTests {
    /// Ten minutes' worth of trouble would be better, and is what operators and we run by hand.
    @Test(.timeLimit(.minutes(5)))
    func `under all faults for a minute every inbox stays right`() async throws {
        let scenario = ["--devices", "30", "--duration", "15"]
        var plans = ""
        for seed in 44...46 {
            plans += try await Program.run(
                "simulator", ["check", "--faults", "--seed", "\(seed)", "--dry-run"] + scenario
            ).output
        }
        for deed in [
            "server 0 is killed", "server 1 is stopped", "PostgreSQL is killed", "a dump is taken",
            "the dump is restored", "the database's clock is set forward", "the devices' clocks are set back",
        ] {
            #expect(plans.contains(deed))
        }
        let check = try await Program.run(
            "simulator", ["check", "--minutes", "1", "--seed", "44", "--quiet"] + scenario)
        #expect(check.code == 0, "\(check.output)\(check.errors)")
        #expect(check.output.contains("every inbox was right"))
        for fault in ["lost", "truncated", "reset unanswered", "reset within", "stalled"] {
            #expect(check.output.contains(fault))
        }
    }

    @Test func `a server that cannot be reached, or knows no such app, is told in a line`() async throws {
        let secrets = [
            "MARTLET_APP_KEY": "abcdefghijklmnopqrstuv", "MARTLET_APP_SECRET": "ABCDEFGHIJKLMNOPQRSTU-",
            "MARTLET_MASTER_SECRET": "0123456789012345678_-0",
        ]
        let away = try await Program.run("simulator", ["load", "--server", "http://127.0.0.1:9"], secrets)
        #expect(away.code == 1)
        #expect(away.errors.contains("the server cannot be reached"))
    }

    @Test(arguments: [
        ["load", "--server", "http://127.0.0.1:9", "--connections", "100"],
        [
            "load", "--server", "http://127.0.0.1:9", "--connections", "100", "--wire", "device",
            "--devices", "9", "--duration", "1",
        ],
        ["check", "--faults", "--devices", "100"],
    ])
    func `a run that needs more open files than the system allows is refused with advice`(
        arguments: [String]
    ) async throws {
        let secrets = [
            "MARTLET_APP_KEY": "abcdefghijklmnopqrstuv", "MARTLET_APP_SECRET": "ABCDEFGHIJKLMNOPQRSTU-",
            "MARTLET_MASTER_SECRET": "0123456789012345678_-0",
        ]
        let command = "ulimit -n 60; exec \"$0\" \"$@\""
        let run = try await Program.run(
            "/bin/sh", ["-c", command, Program.url(of: "simulator").path] + arguments, secrets)
        #expect(run.code == 2)
        #expect(run.errors.contains("open files and the system allows 60: raise `ulimit -n`"))
    }
}
