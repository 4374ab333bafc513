import Foundation
import TestSupport
import Testing

@Suite struct LoadTests {
    @Test func `a run that is interrupted tells what it saw, and is neither right nor wrong`() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet("migrate").code == 0)
            let app = try await installation.makeApp("acme")
            try await installation.serve { server in
                let record = try TestFolder.path()
                let run = try Program(
                    "simulator",
                    ["load", "--devices", "20", "--duration", "600", "--use", "2", "--record", record],
                    app.environment(server))
                // Late devices come in the first half of the load, so some are still to come.
                await run.errors.wait(for: "load 0:", times: 1)
                run.send(signal: SIGINT)
                let outcome = await run.outcome()
                #expect(outcome.code == 1)
                #expect(outcome.output.contains("UNDECIDED: nothing was wrong, "), "\(outcome.output)")
                #expect(outcome.output.contains("; the run was interrupted"))
                let report = try await Program.run("simulator", ["report", record])
                #expect(report.code == 1 && report.output.contains("UNDECIDED"))
            }
        }
    }
}
