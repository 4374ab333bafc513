import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform

/// Changes by chance, and the inbox that they make.
struct RandomChanges {
    private(set) var inbox = StoredInbox()
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Some changes, applied to `inbox`.
    mutating func batch() -> [StoreChange] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let change = change()
            inbox.apply(change)
            return change
        }
    }

    /// True in `times` of `outOf` cases.
    mutating func chance(_ times: Int, outOf: Int) -> Bool { random.chance(times, outOf: outOf) }

    private mutating func change() -> StoreChange {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: .clear
        case 1: .installation(installation())
        case 2: .credential(credential())
        case 3, 4: .confirmed(chance(1, outOf: 3) ? .unknown : .person(person()))
        case 5...8: .login(login())
        case 9, 10: .headLogin(login())
        case 11...13: .headDone
        case 14...20: mark()
        case 21...23: .told(numbers())
        case 24: chance(1, outOf: 2) ? .givenUp(numbers()) : .outbox(outbox())
        case 25...28: .view(person(), view())
        case 29, 30: .forget(person())
        default: .rows(person(), changed: rows(), removed: messages(), cursor: text())
        }
    }

    private mutating func person() -> NamedUserID? {
        // Swift takes both spellings of the third for one, so both must be for SQL.
        random.element(of: [nil, .ana, .ben, NamedUserID(stored: "zo\u{EB} 'x\"")]) ?? nil
    }

    private mutating func login() -> Login { Login(person(), proof: text()) }

    private mutating func text() -> String? { random.element(of: [nil, "", "c1", "\u{0}é\n"]) ?? nil }

    private mutating func installation() -> Installation {
        var uuid = Shell.installation.channel.uuid.uuid
        uuid.0 = UInt8.random(in: 0...255, using: &random)
        return Installation(
            channel: ChannelID(UUID(uuid: uuid)), secret: "secret",
            credential: chance(1, outOf: 2) ? credential() : nil)
    }

    private mutating func credential() -> InboxCredential {
        InboxCredential(
            user: "user", password: "p\(Int.random(in: 0...9, using: &random))",
            channel: chance(1, outOf: 2) ? Shell.installation.channel : nil)
    }

    private mutating func mark() -> StoreChange {
        let number = inbox.outbox.lastNumber + Int64.random(in: 1...3, using: &random)
        let mark = random.element(of: MessageMark.allCases) ?? .read
        let message = MessageID.made(Int.random(in: 1...4, using: &random))
        let reporting: [UInt8]? = random.element(of: [nil, [0, 34, 255]]) ?? nil
        return .mark(PendingMark(number, message, mark, reporting: reporting), replaces: numbers())
    }

    private mutating func numbers() -> Set<Int64> {
        var numbers = Set(inbox.outbox.stretches.flatMap(\.marks).map(\.number))
        for number in numbers.sorted() where chance(1, outOf: 2) { numbers.remove(number) }
        return numbers.union([999_999])
    }

    private mutating func outbox() -> Outbox {
        var outbox = inbox.outbox
        let mark = PendingMark(0, .made(Int.random(in: 1...4, using: &random)), .read)
        _ = outbox.insert(Stretch(login(), marks: [mark]), isConfirmed: chance(1, outOf: 2))
        return outbox
    }

    private mutating func view() -> CachedView {
        var view = CachedView(rows(), cursor: text(), validator: text())
        view.isCut = chance(1, outOf: 3)
        return view
    }

    private mutating func messages() -> [MessageID] {
        (1...12).filter { _ in chance(1, outOf: 4) }.map { .made($0) }
    }

    private mutating func rows() -> [MessageRow] {
        var numbers = (1...12).filter { _ in chance(1, outOf: 3) }
        numbers.shuffle(using: &random)
        return numbers.map { number in
            let place = random.element(of: [MessageRow.Place.device, .person, .app]) ?? .app
            var row = MessageRow(content(number), isUnread: chance(1, outOf: 2), place: place)
            row.tie = Int.random(in: 0...2, using: &random)
            return row
        }
    }

    /// One of two contents of a message: views may hold what the server said at different times.
    private mutating func content(_ number: Int) -> MessageContent {
        guard chance(1, outOf: 5) else { return MessageRow.made(number).content }
        var words = MessageContent.Words()
        words.title = "Ünï \u{0} \u{1F600} '\"\\"
        words.extra = ["k": "v", "named_user_id": "", "\u{0}": "\u{1F600}"]
        (words.bodyBytes, words.icon) = (12, "https://example.com/i.png")
        return MessageContent(
            .made(number), words: words, sent: Instant(rawValue: 1_700_000_000_000_001 + Int64(number % 3)),
            expires: Instant(rawValue: .max),
            device: MessageContent.DeviceDetails(reporting: [0, 34, 255], bodyURL: "https://example.com/b"))
    }
}
