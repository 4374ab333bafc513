import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxStorage

extension Command {
    /// `martlet demo`.
    static let demo = Command(
        "demo", "Make an app with three people, five devices and a dozen messages to try things on",
        details: """
            Makes the app in the database, everything else over HTTP on the running server, and prints addresses
            and `curl` lines. Every run makes an app of its own; `martlet app delete` takes it away again.
            """,
        takes: ([], [.server] + DatabaseChoice.options),
        examples: [
            "martlet demo", "martlet demo --server http://127.0.0.1:9000 --data /var/lib/martlet --json",
        ]
    ) { arguments, console in
        let choice = DatabaseChoice(&arguments)
        let server = RemoteServer.base(&arguments)
        try arguments.finish()
        guard let choice, let server else { return }
        // Before an app is made that nothing can be sent to.
        _ = try await RemoteServer(server, "", "").call(.get, "/version")
        let app = try Database.with(choice, console) { try makeApp(in: $0) }
        do {
            let demo = try await Demo(app, on: server)
            console.show(demo.lines, json: demo.json)
        } catch {
            try Database.with(choice, console) { database in
                try AppRegister(database.connection).delete(try AppName.find(app.name, in: database).app)
            }
            console.note("martlet: the demo was taken back; does \(server) use this very database?")
            throw error
        }
    }

    private static func makeApp(in database: Database) throws -> DemoApp {
        try database.requireSchema()
        let taken = Set(try AppRegister(database.connection).apps().map(\.name))
        let names = ["Demo"] + (2...taken.count + 2).map { "Demo \($0)" }
        guard let name = names.first(where: { !taken.contains($0) }),
            let key = AppKey(text: RandomBytes.token22())
        else { preconditionFailure("of more names than apps one is free") }
        let app = NewApp(name: name, key: key, delivery: .person, identity: .verified)
        let secrets = try create(app, in: database)
        return DemoApp(
            name: app.name, key: app.key.text, appSecret: secrets.app, masterSecret: secrets.master)
    }
}
