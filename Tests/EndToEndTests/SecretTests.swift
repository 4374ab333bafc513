import Crypto
import Foundation
import HTTPCore
import Postgres
import Testing

/// Rule 15: stored secrets are useless to a thief, and none is in a log.
@Suite struct SecretTests {
    @Test func `rule 15: neither the database nor the log holds a secret that opens anything`() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet("migrate").code == 0)
            let app = try await installation.makeApp("acme", "--preset", "airship")
            var secrets = [app.app, app.master]
            let log = try await installation.serve { server in
                let device = try await Device(of: app, at: server)
                secrets.append(device.password)
                let wrong = try await server.call(
                    .get, "/api/user/\(device.user)/messages/", device.user, app.master)
                #expect(wrong.status == 401)
                return server.program.errors
            }
            let stored = try #require(try wholeDatabase(installation))
            #expect(stored.contains(app.key), "what is looked for would be found")
            for secret in secrets {
                let bytes = Array(secret.utf8)
                let hex = bytes.map { String(format: "%02x", $0) }.joined()
                for form in [secret, Base64.encode(bytes), hex] { #expect(!stored.contains(form)) }
                #expect(await !log.whole().contains(secret))
            }
            let keyFile = try #require(installation.environment["MARTLET_SECRET_KEY_FILE"])
            let key = try String(contentsOfFile: keyFile, encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            #expect(!stored.contains(key))
        }
    }

    /// Every row of every table as text, binary values in base64.
    private func wholeDatabase(_ installation: Installation) throws -> String? {
        let url = try #require(installation.environment["DATABASE_URL"])
        return try AdminConnection(url).value(
            """
            SELECT string_agg(query_to_xml(format('SELECT * FROM %I', tablename), true, false, '')::text, '')
            FROM pg_tables WHERE schemaname = 'public'
            """, as: String?.self)
    }
}
