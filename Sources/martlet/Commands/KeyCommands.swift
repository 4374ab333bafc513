import Crypto
import InboxModel
import InboxService
import InboxStorage
import InboxWire

extension Command {
    /// `martlet key rotate`.
    static let keyRotate = Command(
        "key rotate", "Replace an app's secret by a new one and show it, this once",
        details: """
            With --overlap the old secret stays good for a while, so that backends and installed apps can change
            over. Without, it ends at once, on every server.
            """,
        takes: ([.appName, .secretKind], [.overlap] + DatabaseChoice.options),
        examples: [
            "martlet key rotate \"My shop\" master --overlap 24h",
            "martlet key rotate \"My shop\" app --json",
        ]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let overlap = arguments.value(.overlap, Values.duration) ?? .zero
        let overlapText = arguments.text(.overlap) ?? ""
        let kind = SecretKind.read(arguments.operand(.secretKind), &arguments)
        try arguments.finish()
        guard let choice, let kind else { return }
        let name = arguments.operand(.appName)
        let secret = try Database.with(choice, console) { database in
            let app = try AppName.find(name, in: database)
            let secret = kind == .app ? NewSecret.app(under: try database.key()) : NewSecret.master()
            try AppRegister(database.connection).rotate(to: secret.stored, of: app.app, overlap: overlap)
            return secret.text
        }
        let end =
            overlap == .zero ? "is no longer accepted" : "stays good for \(overlapText)"
        console.show(
            [
                "The new \(kind.word) secret of \(name), not shown again:", "", "    \(secret)", "",
                "The old one \(end).",
            ],
            json: .object([
                "name": .string(name), "kind": .string(kind.word), "\(kind.word)_secret": .string(secret),
                "overlap_seconds": .int(overlap.components.seconds),
            ]))
    }

    /// `martlet key revoke`.
    static let keyRevoke = Command(
        "key revoke", "End a key, token or old secret at once, on every server",
        details: "The last app or master secret cannot be revoked: rotate it instead.",
        takes: ([.appName, .keyID], DatabaseChoice.options),
        examples: ["martlet key revoke \"My shop\" 7"]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let id = KeyID.read(arguments.operand(.keyID), &arguments)
        try arguments.finish()
        guard let choice, let id else { return }
        let name = arguments.operand(.appName)
        let revoked = try Database.with(choice, console) { database in
            let app = try AppName.find(name, in: database)
            do {
                return try AppRegister(database.connection).revoke(id, of: app.app)
            } catch InboxError.notFound {
                throw CommandFailure.refused(
                    "\(name) has no key \(id.text)", advice: "`martlet key list` shows all of them")
            } catch InboxError.conflict(let reason) {
                throw CommandFailure.refused(
                    reason, advice: "`martlet key rotate` makes another and ends this one")
            }
        }
        console.show(["revoked the \(revoked.kind.word) \(id.text) of \(name)"], json: revoked.json)
    }

    /// `martlet key list`.
    static let keyList = Command(
        "key list", "List an app's secrets, keys and tokens: never what is secret of them",
        takes: ([.appName], DatabaseChoice.options), examples: ["martlet key list \"My shop\""]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        try arguments.finish()
        guard let choice else { return }
        let name = arguments.operand(.appName)
        let (app, secrets) = try Database.with(choice, console) { database in
            let app = try AppName.find(name, in: database)
            return (app, try AppRegister(database.connection).secrets(of: app.app))
        }
        let rows = secrets.map { secret in
            [
                secret.id.text, secret.kind.word, secret.scopes.words.joined(separator: ","),
                secret.name ?? "", secret.fingerprint, Text.time(secret.created),
                secret.expires.map(Text.time) ?? "never",
            ]
        }
        console.show(
            ["app key \(app.key)", ""]
                + Text.table(["ID", "KIND", "SCOPES", "NAME", "SHA-256", "CREATED", "ENDS"], rows),
            json: .object([
                "name": .string(name), "app_key": .string(app.key),
                "secrets": .array(secrets.map(\.json)),
            ]))
    }
}

extension Operand {
    fileprivate static let secretKind = Operand(
        "master|app", "which secret: of backends, or of installed apps")
    fileprivate static let keyID = Operand("ID", "the number that `key list` shows")
}

extension Option {
    fileprivate static let overlap = Option(
        "overlap", "DURATION", "how long the old secret stays good, such as 24h", fallback: "0s")
}

/// The command line's words for kinds of secrets.
private enum SecretKind {
    static func read(_ word: String, _ arguments: inout Arguments) -> AppCredentials.Secret.Kind? {
        switch word {
        case "master": return .master
        case "app": return .app
        case "": return nil  // reported as missing
        default:
            arguments.report("\(word) is no kind of secret: master or app")
            return nil
        }
    }
}

/// The number of a key.
private enum KeyID {
    static func read(_ word: String, _ arguments: inout Arguments) -> SecretID? {
        guard !word.isEmpty else { return nil }  // reported as missing
        guard let number = Int32(word), number > 0 else {
            arguments.report("\(word) is no key's number")
            return nil
        }
        return SecretID(rawValue: number)
    }
}

extension SecretRecord {
    /// The first bytes of the digest: enough to tell secrets apart.
    fileprivate var fingerprint: String {
        digest.prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    fileprivate var json: JSON {
        .object([
            "id": .string(id.text), "kind": .string(kind.word),
            "scopes": .array(scopes.words.map { .string($0) }), "name": .string(orNull: name),
            "sha256_prefix": .string(fingerprint),
            "created": .string(Text.time(created)), "ends": .string(orNull: expires.map(Text.time)),
        ])
    }
}
