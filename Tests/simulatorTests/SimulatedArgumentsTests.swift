import Testing

@testable import simulator

struct SimulatedArgumentsTests {
    @Test func `worlds are chosen by chance unless told otherwise`() throws {
        let arguments = try SimulatedArguments(["--simulated"], [:])
        #expect(arguments.worlds == 1000)
        #expect(arguments.devices == nil)
        #expect(arguments.hours == nil)
    }

    @Test func `the command that plays a world again is read as that`() throws {
        let words = try SimulatedArguments(
            ["--simulated", "--devices", "3", "--hours=9", "--worlds", "7"], [:]
        ).command(seed: 5).split(separator: " ").dropFirst(2).map(String.init)
        let again = try SimulatedArguments(words, [:])
        #expect(again.seed == 5)
        #expect(again.worlds == 1)
        #expect(again.devices == 3)
        #expect(again.hours == 9)
    }

    @Test(arguments: [
        (["--devices", "0"], "--devices must be a whole number from 1 to 100"),
        (["--hours", "x"], "--hours must be a whole number from 1 to 10000"),
        (["--server", "http://a"], "there is no option --server"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        let error = #expect(throws: UsageError.self) { try SimulatedArguments(["--simulated"] + words, [:]) }
        #expect(error?.problems.contains(problem) == true)
    }
}
