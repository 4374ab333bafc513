import HTTPCore
import Testing

@testable import simulator

struct CheckArgumentsTests {
    private let stage = [
        "--model", "--server", "http://127.0.0.1:1", "--server=http://127.0.0.1:2", "--backstage",
        "http://[::1]:3",
    ]

    @Test func `both servers are named, and the rest by default`() throws {
        let arguments = try CheckArguments(stage, [:])
        #expect(arguments.servers.map(\.port) == [1, 2])
        #expect(arguments.backstage.port == 3)
        #expect(arguments.histories == 1000)
    }

    @Test func `the command that plays a history again is read as that`() throws {
        let words = try CheckArguments(stage + ["--histories", "9", "--seed", "5"], [:]).command(seed: 7)
            .split(separator: " ").dropFirst(2).map(String.init)
        let again = try CheckArguments(words, [:])
        #expect(again.seed == 7)
        #expect(again.histories == 1)
        #expect(again.servers.map(\.port) == [1, 2])
    }

    @Test(arguments: [
        (["--model", "--backstage", "http://a"], "--server must be given twice, once for each server"),
        (["--server", "http://a"], "say what to check: --model"),
        (["--backstage", "https://a"], "--backstage must be an http:// address"),
        ([], "--backstage is missing"),
        (["--histories", "0"], "--histories must be a whole number from 1 to 10000000"),
        (["--seed", "-1"], "--seed must be a whole number from 0 to 9223372036854775807"),
        (["--devices", "1"], "there is no option --devices"),
    ])
    func `what is wrong is named`(words: [String], problem: String) {
        let error = #expect(throws: UsageError.self) { try CheckArguments(words, [:]) }
        #expect(error?.problems.contains(problem) == true)
    }
}
