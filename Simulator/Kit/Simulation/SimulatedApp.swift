import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// An app of a simulated world, and what its backend knows.
struct SimulatedApp: Sendable {
    let keys: AppKeys
    let calls: AppCalls
    var random: SeededRandom
    /// The numbers of its messages, in whose titles they stand.
    var numbers: [MessageID: Int] = [:]
    /// What was sent, in order.
    var sent: [MessageID] = []
    var lastSend: Request?
    /// What anybody ever marked unread.
    var markedUnread: Set<MessageID> = []

    init(_ keys: AppKeys, random: SeededRandom) {
        self.keys = keys
        self.random = random
        calls = AppCalls(keys)
    }

    /// How calls of one of its devices look on the wire.
    func wire(of phone: Phone) -> MartletWire {
        var end = WireEnd(
            AppCredential(key: keys.key, secret: keys.appSecret),
            at: BaseURL(host: "server.test", port: 80), over: NoTransport())
        end.profile.deviceType = phone.plan.type.text
        end.profile.tags = phone.number.isMultiple(of: 2) ? [World.tags[0]] : []
        return MartletWire(end, changesPerPage: phone.plan.changesPerPage)
    }

    /// `m3`, or what else it is called.
    func name(_ message: MessageID) -> String { numbers[message].map { "m\($0)" } ?? message.text }

    /// A simulated device hands its requests to the simulated network itself.
    private struct NoTransport: Transport {
        struct Unused: Error {}

        func send(_ request: Request, to base: BaseURL) async throws -> Response { throw Unused() }
    }
}
