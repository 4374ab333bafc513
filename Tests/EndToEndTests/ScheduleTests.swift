import HTTPCore
import InboxWire
import Postgres
import TestSupport
import Testing

/// What is scheduled, between real programs.
@Suite struct ScheduleTests {
    @Test func `two servers send a schedule once, when the database's clock has come to it`() async throws {
        try await withServer { installation, first, app in
            try await installation.serve { second in
                let device = try await Device(of: app, at: first)
                let made = try await installation.martlet(
                    "schedule", "create", "--in", "1h", "--channel", device.channel, "--title", "Later",
                    "--body", "x",
                    "--json", also: app.environment(first))
                try #require(made.code == 0, "\(made.errors)")
                #expect(try await device.ids(at: second) == [])
                try await installation.shiftClock(by: "1 hour")
                try await second.waitUntilSent(made.text("schedule_id"), of: app)
                let message = try #require((made["message_ids"] as? [String])?.first)
                #expect(try await device.ids(at: first) == [message])

                // Both have looked again by the time that another one has come.
                let other = try await installation.martlet(
                    "schedule", "create", "--in", "1s", "--channel", device.channel, "--title", "Last",
                    "--body", "x",
                    "--json", also: app.environment(second))
                try await first.waitUntilSent(other.text("schedule_id"), of: app)
                #expect(try await device.ids(at: second).count == 2)
            }
        }
    }

    @Test func `what was due while no server ran is sent by the next one`() async throws {
        try await Installation.with { installation in
            let app = try await installation.migrated().makeApp("Acme", "--preset", "airship")
            let (device, id) = try await installation.serve { server in
                let device = try await Device(of: app, at: server)
                let answer = try await server.call(
                    .post, "/v1/schedules", app.key, app.master,
                    #"{"scheduled_in":3600,"message":{"audience":"all","message":{"title":"t","body":"b"}}}"#)
                try #require(answer.status == 201)
                return (device, answer.text("schedule_id"))
            }
            try await installation.shiftClock(by: "2 hours")
            try await installation.serve { server in
                try await server.waitUntilSent(id, of: app)
                #expect(try await device.ids(at: server).count == 1)
            }
        }
    }

    @Test func `the command line schedules, lists, shows and deletes, in words for people`() async throws {
        try await withServer { installation, server, app in
            let environment = app.environment(server)
            let dry = try await installation.martlet(
                "schedule", "create", "--in", "7d", "--named-user", "nobody", "--title", "T", "--body", "x",
                "--dry-run",
                also: environment)
            #expect(
                dry.output
                    == "would reach 0 recipients now; nothing was scheduled\nunknown  named_user:nobody\n")
            let none = try await installation.martlet("schedule", "list", also: environment)
            #expect(none.output == "no schedules\n")

            let made = try await installation.martlet(
                "schedule", "create", "--at", "2091-05-06T07:08:09Z", "--name", "Friday", "--all", "--title",
                "News",
                "--body", "x", also: environment)
            #expect(made.code == 0, "\(made.errors)")
            let lines = made.output.split(separator: "\n")
            #expect(lines.first == "scheduled for 2091-05-06T07:08:09.000Z")
            let id = try #require(lines.first { $0.hasPrefix("schedule ") }?.split(separator: " ").last)
                .description
            let list = try await installation.martlet("schedule", "list", also: environment)
            #expect(list.output.contains("2091-05-06T07:08:09.000Z  \(id)  Friday  News"))
            let shown = try await installation.martlet("schedule", "show", id, also: environment)
            #expect(shown.output.contains("name            Friday"))
            let deleted = try await installation.martlet("schedule", "delete", id, also: environment)
            #expect(deleted.output == "deleted \(id): it will not be sent\n")
            let again = try await installation.martlet("schedule", "delete", id, also: environment)
            #expect(again.code == 1 && again.errors.contains("schedule not found"))

            let past = try await installation.martlet(
                "schedule", "create", "--at", "2001-05-06T07:08:09Z", "--all", "--title", "T", "--body", "x",
                also: environment)
            #expect(past.code == 1 && past.errors == "martlet: scheduled_time lies in the past\n")
        }
    }

    @Test(arguments: [
        (["--at", "tomorrow"], "--at must be a time in UTC, such as 2031-05-06T07:08:09Z"),
        (["--at", "2031-05-06T07:08:09+02:00"], "--at must be a time in UTC, such as 2031-05-06T07:08:09Z"),
        (["--in", "2"], "--in must be a number with a unit, such as 30s, 15m, 24h or 7d"),
        (["--in", "0s"], "--in must be 1s or more; `martlet send` sends at once"),
        (["--in", "2h", "--at", "2031-05-06T07:08:09Z"], "--at and --in exclude each other"),
        ([], "--at or --in is missing: when it is sent"),
    ])
    func `a time that cannot be is refused with what it should look like`(
        words: [String], line: String
    ) async throws {
        let outcome = try await Program.run(
            "martlet", ["schedule", "create", "--all", "--title", "T", "--body", "x"] + words,
            ["MARTLET_APP_KEY": "k", "MARTLET_MASTER_SECRET": "s"])
        #expect(outcome.code == 2)
        #expect(outcome.errorLines == ["martlet: \(line)"])
    }
}

extension Installation {
    /// Sets the database's clock forward.
    fileprivate func shiftClock(by interval: String) async throws {
        let url = try #require(environment["DATABASE_URL"])
        try await onDatabaseThread {
            try AdminConnection(url).script(
                """
                CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
                AS $$ SELECT statement_timestamp() + interval '\(interval)' $$
                """)
        }
    }
}

extension Server {
    /// Asks until the schedule is not there any more.
    fileprivate func waitUntilSent(_ schedule: String, of app: AppSecrets) async throws {
        while true {
            let answer = try await call(.get, "/v1/schedules/\(schedule)", app.key, app.master)
            if answer.status == 404 { return }
            try #require(answer.status == 200)
        }
    }
}
