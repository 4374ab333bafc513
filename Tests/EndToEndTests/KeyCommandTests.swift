import Foundation
import HTTPCore
import InboxWire
import TestSupport
import Testing

@Suite struct KeyCommandTests {
    @Test func `a token is made, listed and revoked by the command line, and counts on the server at once`()
        async throws
    {
        try await Installation.with { installation in
            #expect(try await installation.martlet("migrate").code == 0)
            _ = try await installation.makeApp("acme")
            let made = try await installation.martlet(
                "key", "create", "acme", "token", "--scope", "read,send", "--name", "mail", "--expires-in",
                "1d",
                "--json")
            try #require(made.code == 0, "\(made.errors)")
            let (id, token) = (made.text("id"), made.text("secret"))
            #expect(token.utf8.count == 22 && made["scopes"] as? [String] == ["send", "read"])

            let listed = try await installation.martlet("key", "list", "acme", "--json")
            let secrets = listed["secrets"] as? [[String: Any]] ?? []
            let entry = secrets.first { $0["id"] as? String == id }
            #expect(entry?["kind"] as? String == "token" && entry?["name"] as? String == "mail")
            #expect(entry?["scopes"] as? [String] == ["send", "read"] && entry?["ends"] is String)
            let table = try await installation.martlet("key", "list", "acme").output
            #expect(table.contains("send,read") && !table.contains(token) && !listed.output.contains(token))

            try await installation.serve { server in
                var request = Request(.get, "/v1/messages")
                request.headers.add("Authorization", "Bearer \(token)")
                let good = try await server.send(request)
                let byToken = try await installation.martlet(
                    "message", "list", "--server", "\(server.base)", also: ["MARTLET_TOKEN": token])
                #expect(byToken.code == 0, "\(byToken.errors)")
                let both = try await installation.martlet(
                    "message", "list", "--token", token, "--master-secret", "x")
                #expect(both.code == 2 && both.errors.contains("instead of --master-secret"))
                let revoked = try await installation.martlet("key", "revoke", "acme", id)
                let ended = try await server.send(request)
                #expect(good.status == 200 && revoked.code == 0 && ended.status == 401)
            }
            let again = try await installation.martlet("key", "revoke", "acme", id)
            #expect(again.code == 1 && again.errors.contains("has no key \(id)"))
        }
    }

    @Test func `keys of proofs are made from a secret of ours or a public key of theirs`() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet("migrate").code == 0)
            _ = try await installation.makeApp("acme")
            let secret = try await installation.martlet("key", "create", "acme", "hs256", "--json")
            #expect(secret.code == 0 && secret.text("secret").utf8.count == 43)
            let text = try await installation.martlet("key", "create", "acme", "hs256")
            #expect(text.output.contains("\"kid\": \"3\"") || text.output.contains("\"kid\": \"4\""))

            let file = try Self.file(Self.publicKey)
            let stored = try await installation.martlet(
                "key", "create", "acme", "es256", "--public-key-file", file, "--json")
            #expect(stored.code == 0 && stored["secret"] is NSNull, "\(stored.errors)")
            let privateFile = try Self.file("-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n")
            let refused = try await installation.martlet(
                "key", "create", "acme", "es256", "--public-key-file", privateFile)
            #expect(refused.code == 2 && refused.errors.contains("holds a private key"))
            #expect(refused.errors.contains("openssl ec -in \(privateFile) -pubout"))
        }
    }

    @Test(arguments: [
        (["acme", "token"], "--scope is missing"),
        (["acme", "token", "--scope", "write"], "must be send, read or admin"),
        (
            ["acme", "token", "--scope", "read", "--public-key-file", "x"],
            "--public-key-file goes with es256"
        ),
        (["acme", "hs256", "--scope", "read"], "--scope goes with token"),
        (["acme", "es256"], "--public-key-file is missing"),
        (["acme", "es256", "--public-key-file", "/nowhere"], "cannot be read"),
        (["acme", "rsa"], "is no kind of key"),
        (["acme", "hs256", "--expires-in", "0s"], "longer than nothing"),
        (["acme", "hs256", "--name", ""], "1 to 128 characters"), (["acme"], "is missing"),
    ])
    func `what does not go together is refused, and said`(words: [String], reason: String) async throws {
        let outcome = try await Program.run("martlet", ["key", "create"] + words, [:])
        #expect(outcome.code == 2 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    private static func file(_ text: String) throws -> String {
        let path = try TestFolder.path()
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----

        """
}
