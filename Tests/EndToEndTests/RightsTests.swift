import HTTPCore
import Postgres
import TestSupport
import Testing

/// Rule 12: a database user without the rights that the second wall needs is refused, with the SQL to run.
@Suite struct RightsTests {
    @Test func `missing rights are refused with the SQL that gives them, and that is enough`() async throws {
        try await withDatabase { url in
            let admin = try AdminConnection(url)
            let name: String = try admin.value("SELECT current_database()::text")
            let user = "\(name)_owner"
            try admin.script("CREATE ROLE \(user) LOGIN; ALTER DATABASE \(name) OWNER TO \(user)")
            let installation = Installation(environment: [
                "DATABASE_URL": "\(url) user=\(user)", "MARTLET_SECRET_KEY_FILE": try Installation.keyFile(),
            ])
            for command in ["serve", "migrate"] {
                let refused = try await installation.martlet(command)
                #expect(refused.code == 1)
                #expect(refused.errors.contains("lacks rights"))
                // To be copied as they are.
                let statements = refused.errorLines.dropFirst()
                #expect(!statements.isEmpty && statements.allSatisfy { $0.hasPrefix("    ") })
            }
            let refused = try await installation.martlet("doctor")
            #expect(refused.code == 1)
            let statements = refused.output.split(separator: "\n").map { $0.trimming() }.filter {
                $0.hasPrefix("CREATE ROLE") || $0.hasPrefix("GRANT")
            }
            #expect(statements.last == "GRANT martlet_app TO \(user);")
            try admin.script(statements.joined())
            try await installation.serve { server in
                let app = try await installation.makeApp("Acme")
                #expect(try await server.call(.get, "/v1/messages", app.key, app.master).status == 200)
            }
            try admin.script(
                """
                REASSIGN OWNED BY \(user) TO CURRENT_USER; DROP OWNED BY \(user); DROP ROLE \(user)
                """)
        }
    }
}

extension Substring {
    fileprivate func trimming() -> String { String(drop { $0 == " " }) }
}
