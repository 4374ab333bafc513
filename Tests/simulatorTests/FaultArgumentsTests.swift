import SimulatorKit
import Testing

@testable import simulator

struct FaultArgumentsTests {
    @Test func `a dry run plans what its seed says`() throws {
        let words = ["--faults", "--dry-run", "--seed", "7", "--duration", "12.5", "--servers=3"]
        let arguments = try FaultArguments(words, [:])
        #expect(arguments.plan == FaultPlan(seed: 7, duration: .milliseconds(12_500), servers: 3))
    }

    @Test func `without options it is one scenario of twenty seconds with two servers`() throws {
        let arguments = try FaultArguments(["--faults"], [:])
        #expect(arguments.duration == .seconds(20))
        #expect(arguments.servers == 2)
        #expect(arguments.goesOn(after: 0, .seconds(1000)))
        #expect(!arguments.goesOn(after: 1, .zero))
    }

    @Test func `with minutes scenarios are begun for so long`() throws {
        let arguments = try FaultArguments(["--minutes", "10"], [:])
        #expect(arguments.goesOn(after: 1000, .seconds(599)))
        #expect(!arguments.goesOn(after: 1, .seconds(600)))
    }

    @Test(arguments: [
        (["--minutes", "1", "--seeds", "2"], "--minutes and --seeds exclude each other"),
        (["--faults", "--devices", "5"], "--devices must be a whole number from 6 to 2000"),
        (["--faults", "--dry-run", "--servers", "0"], "--servers must be a whole number from 1 to 16"),
        (["--faults", "--dry-run", "--duration", "0"], "--duration must be a number from 1.0 to 86400.0"),
        (["--faults", "--dry-run", "--model"], "there is no option --model"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        let error = #expect(throws: UsageError.self) { try FaultArguments(words, [:]) }
        #expect(error?.problems.contains(problem) == true)
    }
}
