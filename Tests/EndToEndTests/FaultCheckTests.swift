import TestSupport
import Testing

@Suite struct FaultCheckTests {
    /// Two minutes' worth of trouble would be better, and is what operators and we run by hand.
    @Test(.timeLimit(.minutes(5)))
    func `under all faults for a minute every inbox stays right`() async throws {
        let check = try await Program.run(
            "simulator",
            ["check", "--minutes", "0.7", "--devices", "30", "--duration", "15", "--seed", "1", "--quiet"])
        #expect(check.code == 0, "\(check.output)\(check.errors)")
        #expect(check.output.contains("every inbox was right"))
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
}
