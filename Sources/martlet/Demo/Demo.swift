import HTTPCore
import InboxWire

/// An app with people, devices and messages to try things on.
struct Demo: Sendable {
    /// Name, key and secrets.
    let app: DemoApp
    let server: BaseURL
    let devices: [DemoDevice]
    let messages: Int
    /// The first message of the first device's list.
    let newest: String

    /// Registers the devices, sends the messages, and reads and deletes a few.
    ///
    /// - Throws: `CommandFailure`.
    init(_ app: DemoApp, on server: BaseURL) async throws {
        self.app = app
        self.server = server
        let backend = RemoteServer(server, app.key, app.masterSecret)
        let installed = backend.by(app.key, app.appSecret)
        var devices: [DemoDevice] = []
        for plan in Demo.plans {
            devices.append(try await DemoDevice(plan, app: installed, backend: backend))
        }
        self.devices = devices
        messages = Demo.letters.count
        for letter in Demo.letters {
            _ = try await backend.call(.post, "/v1/messages", letter.json(channel: devices[1].channel))
        }
        let list = try await devices[0].list()
        guard list.count > 2 else { throw CommandFailure.refused("messages of the demo are not in the list") }
        newest = list[0]
        // Somebody has used them already.
        try await devices[0].mark(list[1], "unread")
        try await devices[0].mark(list[2], "delete")
    }

    private static let plans = [
        DemoDevice.Plan(person: "ana", name: "phone", type: "ios", tags: ["vip"]),
        DemoDevice.Plan(person: "ana", name: "tablet", type: "ios", tags: []),
        DemoDevice.Plan(person: "ben", name: "phone", type: "android", tags: ["vip", "beta"]),
        DemoDevice.Plan(person: "ben", name: "tablet", type: "amazon", tags: ["beta"]),
        DemoDevice.Plan(person: "cleo", name: "phone", type: "android", tags: []),
    ]

    private static let letters = [
        Letter(.all, "Welcome", "This message went to everyone. It is stored once, whoever reads it."),
        Letter(.person("ana"), "Hello Ana", "Read on one of your devices, this is read on both."),
        Letter(.person("ben"), "Hello Ben", "Log out, and this goes with you."),
        Letter(.person("cleo"), "Hello Cleo", "You have one device."),
        Letter(.tag("vip"), "Early access", "Devices with the tag vip have this."),
        Letter(.tag("beta"), "Thank you for testing", "Devices with the tag beta have this."),
        Letter(.tablet, "Only on this tablet", "Sent to one device by its channel."),
        Letter(.person("ana"), "Your parcel is on its way", "It left us this morning."),
        Letter(.person("ben"), "Your invoice", "Nothing to pay this month."),
        Letter(.all, "Opening hours", "We are open on Sunday, too."),
        Letter(.person("ana"), "Your parcel has arrived", "Locker 12, code 4711."),
        Letter(.all, "Grüße 🐦 ごあいさつ", "Any script, any picture."),
    ]

    private enum Audience {
        case all
        case person(String)
        case tag(String)
        /// The second device.
        case tablet
    }

    private struct Letter {
        let audience: Audience
        let title: String
        let body: String

        init(_ audience: Audience, _ title: String, _ body: String) {
            self.audience = audience
            self.title = title
            self.body = body
        }

        func json(channel: String) -> JSON {
            let audience: JSON =
                switch audience {
                case .all: .string("all")
                case .person(let person): .object(["named_user": .string(person)])
                case .tag(let tag): .object(["tag": .string(tag)])
                case .tablet: .object(["channel": .string(channel)])
                }
            return .object([
                "audience": audience,
                "message": .object([
                    "title": .string(title), "body": .string("<h1>\(title)</h1><p>\(body)</p>"),
                    "extra": .object(["source": .string("demo")]),
                ]),
            ])
        }
    }
}

/// The demo's app with its secrets.
struct DemoApp: Sendable {
    let name: String
    let key: String
    let appSecret: String
    let masterSecret: String
}
