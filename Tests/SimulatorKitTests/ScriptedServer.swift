import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import SimulatorKit

/// A small server in memory that keeps the rules, or breaks one of them, and is away when told.
struct ScriptedServer: Transport {
    let loop: VirtualLoop
    let delivery: Delivery
    var fault: Fault?
    /// Virtual times at which nobody answers; who is asked shortly before may act without answering.
    var outages: [Range<Duration>] = []
    var refusesClaims = false
    let store = Lock(ScriptedStore())

    struct ConnectionLost: Error {}

    func send(_ request: Request, to base: BaseURL) async throws -> Response {
        try await loop.sleep(for: .milliseconds(store.withLock { Int.random(in: 1...4, using: &$0.random) }))
        let now = loop.now()
        if outages.contains(where: { $0.contains(now) }) { throw ConnectionLost() }
        let response = store.withLock { store in
            store.restart(after: outages.filter { $0.upperBound <= now }, fault)
            return store.answer(request, self, at: now.milliseconds)
        }
        try await loop.sleep(for: .milliseconds(store.withLock { Int.random(in: 1...4, using: &$0.random) }))
        if outages.contains(where: { $0.contains(loop.now()) }) { throw ConnectionLost() }
        return response
    }
}

/// The scripted server's memory.
struct ScriptedStore {
    var random = SeededRandom(seed: 7)
    var devices: [String: ScriptedDevice] = [:]
    var people: [String: ScriptedInbox] = [:]
    var messages: [MessageID: ScriptedMessage] = [:]
    var broadcasts: Set<MessageID> = []
    private var outagesSeen = 0
    /// How often a fault was up, which breaks the rule not each time.
    private var turns = 0

    /// Ids in every user's name: the channel's own, without dashes.
    private func channel(of user: some StringProtocol) -> String {
        let text = Array(user)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(text[$0]) }.joined(separator: "-")
    }

    /// Forgets what was last sent, if that is the fault.
    mutating func restart(after outages: [Range<Duration>], _ fault: Fault?) {
        guard outages.count > outagesSeen else { return }
        outagesSeen = outages.count
        guard fault == .forgetsWhenRestarted else { return }
        for (id, message) in messages where message.order >= messages.count - 8 { messages[id] = nil }
    }

    mutating func answer(_ request: Request, _ server: ScriptedServer, at now: Int64) -> Response {
        let parts = request.path.split(separator: "/").map(String.init)
        if parts.last == "unread", isTurn(of: .refusesNowAndThen, server) {
            return Response(status: 401)
        }
        switch (request.method, parts.dropFirst().first ?? "", parts.count) {
        case (.post, "channels", 2): return createChannel(json(request))
        case (.get, "auth", 3): return .json(200, #"{"ok":true,"token":"t","expires_in":3600000}"#)
        case (.post, "user", 2): return createUser(json(request))
        case (.post, "contacts", 4): return identify(request, server)
        case (.post, "named_users", 3): return associate(json(request), server)
        case (.post, "push", 2): return push(json(request), server, at: now)
        case (.delete, "user", 4): return recall(parts[3], server)
        case (.get, "user", 4): return list(channel(of: parts[2]), request, server, at: now)
        case (.get, "user", 6): return body(parts[4], request, server, at: now)
        case (.post, "user", 5): return mark(parts[4], channel(of: parts[2]), json(request), server, at: now)
        default: return Response(status: 404)
        }
    }

    /// True in one of a few cases.
    mutating func isTurn(of wanted: Fault, _ server: ScriptedServer, oneIn count: Int = 8) -> Bool {
        guard server.fault == wanted else { return false }
        turns += 1
        return turns % count == 0
    }

    private func json(_ request: Request) -> JSON {
        do {
            return try JSON.parse(request.body, duplicateNames: .refuse)
        } catch {
            return .null  // has no members, so nothing accepts it
        }
    }

    // MARK: Registering and logging in

    private mutating func createChannel(_ body: JSON) -> Response {
        let id = UUID(
            uuidString: "00000000-0000-4000-8000-" + String(devices.count + 1_000_000_000_000).suffix(12))
        let text = (id?.uuidString ?? "").lowercased()
        devices[text] = ScriptedDevice(
            inbox: ScriptedInbox(baseline: messages.count), tags: body["channel"]?["tags"]?.texts ?? [])
        return .json(201, #"{"ok":true,"channel_id":"\#(text)"}"#)
    }

    private func createUser(_ body: JSON) -> Response {
        let channel = (body["ios_channels"] ?? body["android_channels"])?.texts.first ?? ""
        let user = channel.replacing("-", with: "")
        return .json(
            201, #"{"ok":true,"user_id":"\#(user)","password":"p","user_url":"http://server.test/"}"#)
    }

    private mutating func identify(_ request: Request, _ server: ScriptedServer) -> Response {
        guard !server.refusesClaims else { return Response(status: 403) }
        let person = json(request)["action"]?["named_user_id"]?.text
        logIn(request.headers["X-UA-Channel-ID"] ?? "", person, server)
        return .json(
            200,
            #"{"ok":true,"contact":{"contact_id":"c","is_anonymous":\#(person == nil),"#
                + #""channel_association_timestamp":"2027-01-15T08:00:00Z"},"token":"t","token_expires_in":3600000}"#
        )
    }

    private mutating func associate(_ body: JSON, _ server: ScriptedServer) -> Response {
        logIn(body["channel_id"]?.text ?? "", body["named_user_id"]?.text, server)
        return .json(200, #"{"ok":true}"#)
    }

    private mutating func logIn(_ channel: String, _ person: String?, _ server: ScriptedServer) {
        if person == nil, server.fault == .keepsPersonAfterLogout { return }
        if let person, people[person] == nil { people[person] = ScriptedInbox(baseline: messages.count) }
        devices[channel]?.person = person
    }
}

extension Response {
    static func json(_ status: Int, _ text: String) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }
}

extension JSON {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var texts: [String] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap(\.text)
    }
}
