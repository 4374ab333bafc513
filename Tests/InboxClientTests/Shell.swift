import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform
import Testing

/// Drives a core step by step: what it wants done is noted, and answered as the test says.
struct Shell {
    var core: SyncCore
    var now = SyncTime(wall: Instant(seconds: 1_800_000_000), uptime: .zero)
    /// The call that waits for its answer.
    var call: SyncCall?
    var news: [SyncNews] = []
    var shown: [Shown] = []
    var saved: [StoreChange] = []
    var stream: [SyncEffect] = []
    var wake: Duration?

    init(_ stored: StoredInbox = StoredInbox(), options: SyncOptions = SyncOptions(), seed: UInt64 = 1) {
        core = SyncCore(stored, options: options, seed: seed)
    }

    /// Takes an event, and answers what the core wants of the device itself.
    mutating func handle(_ event: SyncEvent) {
        for effect in core.handle(event, at: now) { carryOut(effect) }
    }

    private mutating func carryOut(_ effect: SyncEffect) {
        switch effect {
        case .save(let changes): saved += changes
        case .makeInstallation: handle(.installation(Shell.installation))
        case .call(let call):
            #expect(self.call == nil, "one call at a time")
            self.call = call
        case .openStream, .closeStream: stream.append(effect)
        case .wake(let time): wake = time
        case .show(let shown): self.shown.append(shown)
        case .tell(let news): self.news.append(news)
        }
    }

    /// Answers the call that waits; returns which one it was.
    @discardableResult
    mutating func answer(_ outcome: SyncOutcome, serverTime: Instant? = nil) -> SyncCall? {
        let answered = call
        call = nil
        handle(.answered(outcome, serverTime: serverTime))
        return answered
    }

    mutating func pass(_ duration: Duration) {
        now.uptime += duration
        now.wall = Instant(rawValue: now.wall.rawValue + duration.components.seconds * 1_000_000)
        handle(.woken)
    }

    /// Registers, and fetches a view of these rows.
    mutating func begin(with rows: [MessageRow] = [], cursor: String = "c1", validator: String? = nil) {
        handle(.woken)
        answer(.registered(InboxCredential(user: "user", password: "password")))
        answer(.page(.whole(rows, cursor: cursor, validator: validator)))
    }

    var ids: [MessageID] { core.shown(at: now.wall).rows.map(\.id) }
    var unread: [MessageID] { core.shown(at: now.wall).rows.filter(\.isUnread).map(\.id) }

    static let installation = Installation(
        channel: ChannelID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        secret: "0123456789abcdefghijkl")
}

extension MessageRow {
    /// Message `number`; a higher one is newer.
    static func made(
        _ number: Int, isUnread: Bool = true, place: Place = .device, expires: Instant? = nil,
        extra: [String: String] = [:]
    ) -> MessageRow {
        var words = MessageContent.Words()
        words.title = "Message \(number)"
        words.extra = extra
        return MessageRow(
            MessageContent(
                .made(number), words: words, sent: Instant(seconds: 1_700_000_000 + Int64(number)),
                expires: expires),
            isUnread: isUnread, place: place)
    }
}

extension MessageID {
    static func made(_ number: Int) -> MessageID { MessageID(high: 7, low: UInt64(number)) }
}

extension SyncPage {
    static func whole(_ rows: [MessageRow], cursor: String, validator: String? = nil) -> SyncPage {
        var page = SyncPage()
        (page.changed, page.isWhole) = (rows, true)
        (page.cursor, page.validator) = (cursor, validator)
        return page
    }

    static func changes(
        _ rows: [MessageRow], removed: [Int] = [], cursor: String, hasMore: Bool = false
    ) -> SyncPage {
        var page = SyncPage()
        (page.changed, page.removed) = (rows, removed.map { .made($0) })
        (page.cursor, page.hasMore) = (cursor, hasMore)
        return page
    }
}

extension SyncProblem {
    static let offline = SyncProblem(.unreachable, "no network")
}

extension NamedUserID {
    static let ana = NamedUserID(stored: "ana")
    static let ben = NamedUserID(stored: "ben")
}
