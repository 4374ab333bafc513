import SimulatorKit
import Testing

@testable import simulator

struct FaultArgumentsTests {
    @Test func `a dry run plans what its seed says`() throws {
        let words = ["--faults", "--dry-run", "--seed", "7", "--duration", "12.5", "--servers=3"]
        let arguments = try FaultArguments(words, [:])
        #expect(arguments.plan == FaultPlan(seed: 7, duration: .milliseconds(12_500), servers: 3))
    }

    @Test func `without options it is a plan of half a minute for two servers`() throws {
        let arguments = try FaultArguments(["--faults", "--dry-run"], [:])
        #expect(arguments.duration == .seconds(30))
        #expect(arguments.servers == 2)
    }

    @Test(arguments: [
        (["--faults"], "--faults goes with --dry-run"),
        (["--faults", "--dry-run", "--servers", "0"], "--servers must be a whole number from 1 to 16"),
        (["--faults", "--dry-run", "--duration", "0"], "--duration must be a number from 1.0 to 86400.0"),
        (["--faults", "--dry-run", "--model"], "there is no option --model"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        let error = #expect(throws: UsageError.self) { try FaultArguments(words, [:]) }
        #expect(error?.problems.contains(problem) == true)
    }
}
