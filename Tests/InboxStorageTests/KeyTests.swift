import Crypto
import InboxModel
import InboxService
import InboxStorage
import Postgres
import TestSupport
import Testing

@Suite struct KeyTests {
    private let key = SecretKey.generate().key

    /// Opens a room with two apps, and their register.
    private func open(
        _ body:
            @escaping @Sendable (isolated StoreRoom, AppRegister, AppCredentials, AppCredentials)
            async throws -> Void
    ) async throws {
        try await withDatabase(.inbox) { url in
            try await StoreRoom.open(url: url) { room in
                try await body(
                    room, AppRegister(try AdminConnection(url)), try await room.app("acme"),
                    try await room.app("globex"))
            }
        }
    }

    @Test func `a token is found by its digest, with its scopes and its app`() async throws {
        try await open { room, register, acme, globex in
            let sets: [Set<TokenScope>] = [
                [.send], [.read], [.admin], [.send, .admin], [.send, .read, .admin], [],
            ]
            for scopes in sets {
                let token = NewSecret.token(for: scopes)
                let id = try register.add(token.stored, to: acme.app)
                let found = try #require(try await room.store.backendToken(SHA256.digest(token.text)))
                #expect(found.id == id && found.scopes == scopes && found.app.app == acme.app)
                #expect(found.app.key == acme.key)
            }
            #expect(try await room.store.backendToken(SHA256.digest("x")) == nil)
            #expect(try await room.store.backendToken([]) == nil)
            #expect(try await room.again(globex).secrets.isEmpty)
        }
    }

    @Test func `a token is none of the secrets that its app is found with, and they are no tokens`()
        async throws
    {
        try await open { [key] room, register, acme, _ in
            let secrets = [
                NewSecret.app(under: key), NewSecret.master(), NewSecret.hs256(of: acme.app, under: key),
            ]
            for secret in secrets { _ = try register.add(secret.stored, to: acme.app) }
            _ = try register.add(NewSecret.token(for: [.read]).stored, to: acme.app)
            let found = try await room.again(acme).secrets
            #expect(found.map(\.kind) == [.app, .master, .hs256])
            for secret in found { #expect(try await room.store.backendToken(secret.digest) == nil) }
            let byID = try #require(try await room.store.app(acme.app))
            #expect(byID.secrets.map(\.id) == found.map(\.id) && byID.key == acme.key)
            #expect(try await room.store.app(AppID(rawValue: 999)) == nil)
        }
    }

    @Test func `keys of proofs come back whole, several at once`() async throws {
        try await open { [key] room, register, acme, _ in
            let secret = NewSecret.hs256(of: acme.app, under: key)
            let first = try register.add(secret.stored, to: acme.app)
            let publicKey = try P256PublicKey(pem: KeyTests.pem)
            let second = try register.add(.es256(publicKey, of: acme.app, under: key), to: acme.app)
            let third = try register.add(NewSecret.hs256(of: acme.app, under: key).stored, to: acme.app)
            let keys = try await room.again(acme).identityKeys(under: key)
            #expect(keys.map(\.id) == [first.text, second.text, third.text])
            guard case .hs256(let bytes) = keys[0].material, case .es256(let read) = keys[1].material else {
                Issue.record("other kinds of keys came back")
                return
            }
            #expect(Base64URL.encode(bytes) == secret.text && bytes.count == 32)
            #expect(read.der == publicKey.der)
            let other = SecretKey.generate().key
            #expect(try await room.again(acme).identityKeys(under: other).isEmpty)
        }
    }

    @Test func `rule 15: a row that is copied to another app, or made another kind, is no key`() async throws
    {
        try await open { [key] room, register, acme, globex in
            let publicKey = try P256PublicKey(pem: KeyTests.pem)
            _ = try register.add(.es256(publicKey, of: globex.app, under: key), to: globex.app)
            try room.script(
                """
                INSERT INTO app_secrets (app_id, kind, digest, sealed)
                SELECT \(acme.app.rawValue), kind, digest, sealed FROM app_secrets;
                INSERT INTO app_secrets (app_id, kind, digest, sealed)
                SELECT \(globex.app.rawValue), 2, digest, sealed FROM app_secrets
                WHERE app_id = \(globex.app.rawValue);
                """)
            #expect(try await room.again(acme).secrets.count == 1)
            #expect(try await room.again(acme).identityKeys(under: key).isEmpty)
            #expect(try await room.again(globex).secrets.count == 2)
            #expect(try await room.again(globex).identityKeys(under: key).map(\.algorithm) == [.es256])
        }
    }

    @Test func `an app has at most a hundred keys and tokens, of which ended ones are none`() async throws {
        try await open { _, register, acme, globex in
            var brief = NewSecret.token(for: [.read]).stored
            brief.life = .seconds(-1)
            _ = try register.add(brief, to: acme.app)
            for _ in 0..<AppRegister.keysPerApp {
                _ = try register.add(NewSecret.token(for: [.read]).stored, to: acme.app)
            }
            #expect(throws: InboxError.conflict(reason: "an app has at most 100 keys and tokens")) {
                try register.add(NewSecret.token(for: [.read]).stored, to: acme.app)
            }
            _ = try register.add(NewSecret.token(for: [.read]).stored, to: globex.app)
            let some = try register.secrets(of: acme.app)
            #expect(some.count == AppRegister.keysPerApp)
            _ = try register.revoke(some[7].id, of: acme.app)
            _ = try register.add(NewSecret.token(for: [.read]).stored, to: acme.app)
        }
    }

    @Test func `a key that another app has cannot be revoked, nor one that there is not`() async throws {
        try await open { _, register, acme, globex in
            let id = try register.add(NewSecret.token(for: [.read]).stored, to: acme.app)
            for (id, app) in [(id, globex.app), (SecretID(rawValue: id.rawValue + 1), acme.app)] {
                #expect(throws: InboxError.notFound(what: "key")) { try register.revoke(id, of: app) }
            }
            #expect(try register.revoke(id, of: acme.app).kind == .token)
            #expect(throws: InboxError.notFound(what: "key")) { try register.revoke(id, of: acme.app) }
        }
    }

    @Test func `the last master secret can be rotated but not revoked; one that ends anyway can`()
        async throws
    {
        try await open { _, register, acme, _ in
            let old = try register.add(NewSecret.master().stored, to: acme.app)
            let error = InboxError.conflict(reason: "the app has no other master secret")
            #expect(throws: error) { try register.revoke(old, of: acme.app) }
            try register.rotate(to: NewSecret.master().stored, of: acme.app, overlap: .seconds(60))
            let secrets = try register.secrets(of: acme.app)
            #expect(secrets.map(\.kind) == [.master, .master] && secrets[0].expires != nil)
            #expect(throws: error) { try register.revoke(secrets[1].id, of: acme.app) }
            #expect(try register.revoke(old, of: acme.app).id == old)
            #expect(try register.secrets(of: acme.app).map(\.id) == [secrets[1].id])
        }
    }

    @Test func `the audit says who changed which key`() async throws {
        try await open { room, register, acme, _ in
            let id = try register.add(NewSecret.token(for: [.read]).stored, to: acme.app)
            try register.rotate(to: NewSecret.master().stored, of: acme.app, overlap: .zero)
            _ = try register.revoke(id, of: acme.app)
            let count = try room.number(
                """
                SELECT count(*) FROM audit
                WHERE app_id = \(acme.app.rawValue) AND actor = 'cli' AND (action, subject, detail->>'kind') IN (
                    ('key.create', \(id.text), 'token'), ('key.revoke', \(id.text), 'token'),
                    ('key.rotate', (SELECT max(secret_id)::text FROM app_secrets), 'master'))
                """)
            #expect(count == 3)
        }
    }

    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """
}
