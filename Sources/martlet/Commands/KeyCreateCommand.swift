import Crypto
import Foundation
import InboxModel
import InboxService
import InboxStorage
import InboxWire

extension Command {
    /// `martlet key create`.
    static let keyCreate = Command(
        "key create", "Make a token for a backend, or a key that proves who logs in on a device",
        details: """
            token   for a backend, which sends it as `Authorization: Bearer TOKEN` and may do what its scopes say
            hs256   a secret that the app's backend signs proofs with (JWT, HS256)
            es256   the public half of a key that the app's backend signs proofs with (JWT, ES256)

            What is secret is shown this once. An app can have several, so that one follows another: make the new
            one, change over, and revoke the old one.
            """,
        takes: (
            [.appName, .keyKind],
            [.scope, .keyName, .publicKeyFile, .expiresIn] + DatabaseChoice.options
        ),
        examples: [
            "martlet key create \"My shop\" token --scope send,read --name newsletter --expires-in 90d",
            "martlet key create \"My shop\" hs256",
            "martlet key create \"My shop\" es256 --public-key-file public.pem",
        ]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let order = KeyOrder(&arguments)
        try arguments.finish()
        guard let choice, let order else { return }
        let name = arguments.operand(.appName)
        let made = try Database.with(choice, console) { database in
            let app = try AppName.find(name, in: database)
            let (text, secret) = try order.secret(of: app.app, in: database)
            do {
                let id = try AppRegister(database.connection).add(secret, to: app.app)
                return MadeKey(id: id, app: app, secret: secret, text: text)
            } catch InboxError.conflict(let reason) {
                throw CommandFailure.refused(
                    reason, advice: "`martlet key list` shows them, `martlet key revoke` ends one")
            }
        }
        console.show(made.lines, json: made.json)
    }
}

/// What kind of key is asked for, with what it needs.
private struct KeyOrder {
    private enum Kind {
        case token(Set<TokenScope>)
        case hs256
        case es256(P256PublicKey)
    }

    private let kind: Kind
    private let name: String?
    private let life: Duration?

    /// Reads the options; nothing after a problem.
    init?(_ arguments: inout Arguments) {
        let scopes = arguments.value(.scope, TokenScope.read)
        let file = arguments.text(.publicKeyFile)
        name = arguments.value(.keyName, KeyOrder.name)
        life = arguments.value(.expiresIn, KeyOrder.life)
        let word = arguments.operand(.keyKind)
        if word != "token", arguments.isGiven(.scope) { arguments.report("--scope goes with token") }
        if word != "es256", arguments.isGiven(.publicKeyFile) {
            arguments.report("--public-key-file goes with es256")
        }
        switch word {
        case "token":
            guard let scopes else {
                _ = arguments.required(.scope)
                return nil
            }
            kind = .token(scopes)
        case "hs256": kind = .hs256
        case "es256":
            guard let file else {
                _ = arguments.required(.publicKeyFile)
                return nil
            }
            guard let key = PublicKeyFile.read(file, &arguments) else { return nil }
            kind = .es256(key)
        case "": return nil  // reported as missing
        default:
            arguments.report("\(word) is no kind of key: token, hs256 or es256")
            return nil
        }
    }

    /// What is to be stored, and the text that is shown once, if there is one.
    func secret(of app: AppID, in database: Database) throws -> (text: String?, stored: NewSecret) {
        var (text, stored): (String?, NewSecret) =
            switch kind {
            case .token(let scopes): NewSecret.token(for: scopes)
            case .hs256: NewSecret.hs256(of: app, under: try database.key())
            case .es256(let key): (nil, NewSecret.es256(key, of: app, under: try database.key()))
            }
        stored.name = name
        stored.life = life
        return (text, stored)
    }

    private static func name(_ text: String) throws(Unreadable) -> String {
        let isPlain = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...128).contains(text.unicodeScalars.count), isPlain else {
            throw Unreadable("must have 1 to 128 characters, none of them a control character")
        }
        return text
    }

    private static func life(_ text: String) throws(Unreadable) -> Duration {
        let life = try Values.duration(text)
        guard life > .zero else { throw Unreadable("must be longer than nothing") }
        return life
    }
}

/// A key that was stored, to be told of.
private struct MadeKey {
    let id: SecretID
    let app: AppRecord
    let secret: NewSecret
    let text: String?

    var lines: [String] {
        let end = secret.life.map { ", good for \($0.components.seconds) seconds" } ?? ""
        let use =
            "Proofs name it as \"kid\": \"\(id.text)\" in their header, and the app as \"aud\": \"\(app.key)\"."
        switch secret.kind {
        case .token:
            let scopes = secret.scopes.words.joined(separator: ", ")
            return ["Token \(id.text) of \(app.name), for \(scopes)\(end); not shown again:"] + shown
                + ["Backends send it as `Authorization: Bearer TOKEN`."]
        case .hs256:
            return ["Key \(id.text) of \(app.name)\(end): 32 bytes in base64url, not shown again:"] + shown
                + [use, "Decode it before you sign: libraries take the bytes, not their text."]
        case .es256: return ["Key \(id.text) of \(app.name) is stored\(end).", use]
        case .app, .master: preconditionFailure("app and master secrets are rotated")
        }
    }

    private var shown: [String] { text.map { ["", "    \($0)", ""] } ?? [] }

    var json: JSON {
        .object([
            "id": .string(id.text), "kind": .string(secret.kind.word), "name": .string(app.name),
            "app_key": .string(app.key), "scopes": .array(secret.scopes.words.map { .string($0) }),
            "secret": .string(orNull: text),
            "expires_in_seconds": secret.life.map { .int($0.components.seconds) } ?? .null,
        ])
    }
}

extension Set<TokenScope> {
    /// In one order.
    var words: [String] { TokenScope.allCases.filter(contains).map(\.rawValue) }
}

extension TokenScope {
    /// Reads `send,read`.
    fileprivate static func read(_ text: String) throws(Unreadable) -> Set<TokenScope> {
        let words = text.split(separator: ",").map { $0.trimming { $0 == " " } }
        let scopes = words.compactMap(TokenScope.init)
        guard !scopes.isEmpty, scopes.count == words.count else {
            throw Unreadable("must be send, read or admin, or some of them with commas between")
        }
        return Set(scopes)
    }
}

extension Operand {
    fileprivate static let keyKind = Operand("token|hs256|es256", "what to make")
}

extension Option {
    fileprivate static let scope = Option(
        "scope", "SCOPES", "what a token may do: send, read, admin, with commas between; none implies another"
    )
    fileprivate static let keyName = Option("name", "TEXT", "what people call it, for `key list`")
    fileprivate static let publicKeyFile = Option(
        "public-key-file", "FILE", "a public key of P-256, as PEM or DER (SubjectPublicKeyInfo)")
    fileprivate static let expiresIn = Option(
        "expires-in", "DURATION", "how long it is good, such as 90d", fallback: "until it is revoked")
}
