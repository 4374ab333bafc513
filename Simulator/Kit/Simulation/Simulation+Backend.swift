import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform

/// What the backends of apps do.
extension Simulation {
    mutating func actBackend(of app: Int) {
        guard isActing else { return }
        let deed = apps[app].random.element(of: plan.mail) ?? .sendToEveryone
        agenda.add(.mail(app), at: now + pause(after: &apps[app].random))
        switch deed {
        case .sendToEveryone: send(to: .everyone, from: app)
        case .sendToDevice:
            if let channel = channel(of: app) { send(to: .channels([channel], type: nil), from: app) }
        case .sendToPeople: send(to: .namedUsers(somebody(of: app)), from: app)
        case .sendToTag:
            send(to: .tags([World.tags[0]], group: Audience.deviceTagGroup), from: app)
        case .sendAgain:
            if let request = apps[app].lastSend { finishSend(request, of: app, isBroadcast: true) }
        case .recall: recall(from: app)
        case .associate, .disassociate, .erase, .uninstall: intervene(deed, in: app)
        }
    }

    private mutating func somebody(of app: Int) -> [NamedUserID] {
        let count = apps[app].random.chance(1, outOf: 4) ? 2 : 1
        return Array(World.people.shuffled(using: &apps[app].random).prefix(count))
    }

    /// The phones that an app's backend knows.
    private mutating func phone(of app: Int) -> Int? {
        let known = phones.indices.filter { phones[$0].plan.app == app && phones[$0].user != nil }
        return apps[app].random.element(of: known)
    }

    private mutating func channel(of app: Int) -> ChannelID? {
        phone(of: app).flatMap { phones[$0].kept.installation?.channel }
    }

    private mutating func send(to audience: Audience, from app: Int) {
        var sending = Sending(number: apps[app].sent.count + 1, tenant: app, to: .nobody)
        if apps[app].random.chance(1, outOf: 3) {
            sending.seconds = apps[app].random.element(of: [5, 60, 600, 7200])
        }
        if apps[app].random.chance(1, outOf: 3) {
            sending.named = Int.random(in: World.people.indices, using: &apps[app].random)
        }
        if apps[app].random.chance(1, outOf: 6) { sending.types = DeviceTypes(.ios) }
        let request = apps[app].calls.send(sending, to: audience)
        apps[app].lastSend = request
        note(nil) { "\(World.apps[app]) sends m\(sending.number) to \($0.words(audience))" }
        finishSend(request, of: app, isBroadcast: audience == .everyone)
    }

    private mutating func finishSend(_ request: Request, of app: Int, isBroadcast: Bool) {
        let response = answerBackend(request, isBroadcast: isBroadcast)
        guard response.status == 202, let body = try? JSON.parse(response.body),
            case .string(let text) = body["message_id"], let id = MessageID(wire: text)
        else { return complain(nil, "a send", "202", "\(response.status)") }
        if apps[app].numbers[id] == nil {
            apps[app].sent.append(id)
            apps[app].numbers[id] = apps[app].sent.count
        }
    }

    private mutating func recall(from app: Int) {
        guard let message = apps[app].random.element(of: apps[app].sent.suffix(6)) else { return }
        note(nil) { "\(World.apps[app]) takes \($0.apps[app].name(message)) back" }
        answerBackend(apps[app].calls.recall(message))
    }

    /// What a backend does to devices and people without asking them.
    private mutating func intervene(_ deed: BackendDeed, in app: Int) {
        guard let phone = phone(of: app), let installation = phones[phone].kept.installation,
            let credential = installation.credential
        else { return }
        let (calls, channel) = (apps[app].calls, installation.channel)
        note(phone, "has it happen: \(deed)")
        switch deed {
        case .associate:
            if let person = somebody(of: app).first {
                answerBackend(calls.associate(channel, with: person))
            }
        case .disassociate: answerBackend(calls.associate(channel, with: nil))
        case .erase:
            if let person = somebody(of: app).first { answerBackend(calls.erase(person)) }
        case .uninstall:
            phones[phone].memory.isUninstalled = true
            answerBackend(calls.uninstall(channel, as: credential.authorization))
        case .sendToEveryone, .sendToDevice, .sendToPeople, .sendToTag, .sendAgain, .recall: break
        }
    }
}
