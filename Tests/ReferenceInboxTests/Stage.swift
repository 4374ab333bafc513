import Foundation
import InboxModel
import Platform
import ReferenceInbox

/// A model with two phones to play with; each step is a second after the one before.
struct Stage {
    var model: ReferenceInbox
    private var count = 0

    init(
        _ delivery: Delivery = .withPeople, trustsDevices: Bool = true,
        _ change: (inout ReferenceInbox.Settings) -> Void = { _ in }
    ) {
        var settings = ReferenceInbox.Settings(
            keepsWithPeople: delivery == .withPeople, trustsDevices: trustsDevices)
        change(&settings)
        model = ReferenceInbox(settings, now: Instant(seconds: 1_800_000_000))
    }

    enum Delivery {
        case withPeople, withDevices
    }

    /// Lets time pass.
    mutating func wait(milliseconds: Int64) {
        model.now = Instant(rawValue: model.now.rawValue + milliseconds * 1000)
    }

    /// An installation with a credential.
    mutating func phone(_ type: DeviceType = .ios, tags: Set<String> = []) -> Phone {
        wait(milliseconds: 1000)
        count += 1
        let phone = Phone(channel: Stage.channel(count), user: Stage.user(count))
        model.register(phone.channel, type, tags: tags)
        model.makeUser(phone.user, on: phone.channel)
        return phone
    }

    /// Sends to an audience and takes the model's own word for whom it reaches.
    @discardableResult
    mutating func send(
        to audience: Audience, on types: DeviceTypes = .all, extra: [String: String] = [:],
        seconds: Int64 = 60,
        after milliseconds: Int64 = 1000
    ) -> MessageID {
        wait(milliseconds: milliseconds)
        count += 1
        let message = MessageID(high: UInt64(count), low: 0)
        let reach = model.reach(audience, on: types)
        let wrong = model.send(
            to: audience, on: types, extra: extra,
            answered: ReferenceInbox.Answer(
                message: message, sent: model.now,
                expires: Instant(rawValue: model.now.rawValue + seconds * 1_000_000),
                recipients: reach.recipients, unknown: Array(reach.unknown)))
        precondition(wrong.isEmpty, "it agrees with itself")
        return message
    }

    mutating func mark(_ messages: MessageID..., as mark: ReferenceInbox.Mark, by user: UserID) {
        wait(milliseconds: 1000)
        model.mark(messages, as: mark, by: user)
    }

    /// Ids that a credential sees, in their order.
    func ids(_ user: UserID) -> [MessageID]? { model.view(of: user)?.map(\.message) }

    /// Those of them that are unread.
    func unread(_ user: UserID) -> [MessageID]? {
        model.view(of: user)?.filter(\.isUnread).map(\.message)
    }

    static func user(_ number: Int) -> UserID { UserID(app: AppID(rawValue: 1), key: Int64(number)) }

    static func channel(_ number: Int) -> ChannelID {
        ChannelID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number))))
    }
}

/// An installation and its credential.
struct Phone {
    let channel: ChannelID
    let user: UserID

    var audience: Audience { .channels([channel], type: nil) }
}

extension NamedUserID {
    static let ana = NamedUserID(stored: "ana")
    static let ben = NamedUserID(stored: "ben")
}
