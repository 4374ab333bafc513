import Crypto
import InboxModel
import InboxService
import Platform
import Testing

@Suite struct CursorTests {
    private let seal: CursorSeal
    private let other: CursorSeal

    init() throws {
        seal = CursorSeal(under: try #require(SecretKey(bytes: [UInt8](repeating: 1, count: 32))))
        other = CursorSeal(under: try #require(SecretKey(bytes: [UInt8](repeating: 2, count: 32))))
    }

    private static func point(
        device: Int64 = 5, person: Int64? = nil, app: Int64 = 3, time: Int64 = 0, expiry: Instant? = nil
    ) -> ViewPoint {
        ViewPoint(
            state: ViewState(
                device: InboxID(rawValue: 1), deviceRevision: Revision(rawValue: device),
                person: person.map { _ in InboxID(rawValue: 2) },
                personRevision: Revision(rawValue: person ?? 0),
                app: (Revision(rawValue: app), Revision(rawValue: 1))),
            deviceTypes: DeviceTypes(.ios), time: ViewWorld.time(time), soonestExpiry: expiry, unreadCount: 7)
    }

    private static func cursor(_ point: ViewPoint) -> Cursor {
        Cursor(epoch: 0xFEDC_BA98_7654_3210, app: AppID(rawValue: 1), point: point)
    }

    private static func reader(_ point: ViewPoint, now: Int64 = 0) -> Reader {
        Reader(
            user: UserID(app: AppID(rawValue: 1), key: 1), state: point.state, deviceTypes: DeviceTypes(.ios),
            baseline: Revision(rawValue: 0), now: ViewWorld.time(now))
    }

    private func outlook(_ cursor: Cursor, _ reader: Reader) -> Cursor.Outlook {
        cursor.outlook(of: reader, epoch: cursor.epoch)
    }

    @Test(arguments: [
        cursor(point()), cursor(point(person: 9, expiry: ViewWorld.time(60))),
        Cursor(
            epoch: 1, app: AppID(rawValue: .max), point: point(device: .max),
            rest: Cursor.Rest(point: point(person: 4), after: id("q"))),
    ])
    func `a cursor comes back as it went, in characters that need no escaping`(cursor: Cursor) {
        let text = seal.text(of: cursor)
        #expect(seal.read(text) == .cursor(cursor))
        #expect(text.utf8.count == (cursor.rest == nil ? 132 : 247))
        #expect(text.utf8.allSatisfy(Base64URL.isDigit))
    }

    @Test func `a cursor under another key or with a changed character is foreign`() {
        let text = seal.text(of: Self.cursor(Self.point()))
        #expect(other.read(text) == .foreign)
        for place in stride(from: 0, to: text.utf8.count - 1, by: 7) {
            var bytes = Array(text.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(seal.read(String(decoding: bytes, as: UTF8.self)) == .foreign)
        }
    }

    @Test(arguments: [
        "", "0", "null", "\"123", "-1", String(repeating: "9", count: 30), "a b", "é", "====", "\u{0}",
    ])
    func `what never was a cursor is unreadable`(text: String) {
        #expect(seal.read(text) == .unreadable)
        let cursor = seal.text(of: Self.cursor(Self.point()))
        #expect(seal.read(cursor + text.prefix(0) + "A") == .unreadable)
        #expect(seal.read(String(cursor.dropLast())) == .unreadable)
    }

    @Test func `a cursor of the present state is current until something expires`() {
        let cursor = Self.cursor(Self.point(expiry: ViewWorld.time(60)))
        #expect(outlook(cursor, Self.reader(cursor.point, now: 59)) == .current(cursor))
        #expect(outlook(cursor, Self.reader(cursor.point, now: 60)) == .behind)
    }

    @Test func `a cursor is renewed when it is older than a day`() {
        let cursor = Self.cursor(Self.point())
        #expect(outlook(cursor, Self.reader(cursor.point, now: 86_400)) == .current(cursor))
        var renewed = cursor
        renewed.point.time = ViewWorld.time(86_401)
        #expect(outlook(cursor, Self.reader(cursor.point, now: 86_401)) == .current(renewed))
    }

    @Test func `a cursor older than thirty days is useless, and one of the future too`() {
        let cursor = Self.cursor(Self.point(device: 4))
        let reader = Self.reader(Self.point(device: 5), now: 30 * 86_400)
        #expect(outlook(cursor, reader) == .behind)
        #expect(outlook(cursor, Self.reader(reader.pointState, now: 30 * 86_400 + 1)) == .useless)
        #expect(outlook(cursor, Self.reader(reader.pointState, now: -1)) == .useless)
    }

    @Test func `a cursor with a counter that nobody has reached is useless`() {
        let now = Self.point(device: 5, person: 9, app: 3)
        for ahead in [
            Self.point(device: 6, person: 9, app: 3), Self.point(device: 5, person: 10, app: 3),
            Self.point(device: 5, person: 9, app: 4),
        ] {
            #expect(outlook(Self.cursor(ahead), Self.reader(now)) == .useless)
            var paging = Self.cursor(now)
            paging.rest = Cursor.Rest(point: ahead, after: id("a"))
            #expect(outlook(paging, Self.reader(now)) == .useless)
        }
    }

    @Test func `a cursor of another person, app, device type, setting or database is useless`() {
        let point = Self.point(person: 9)
        let cursor = Self.cursor(point)
        let reader = Self.reader(point)
        #expect(cursor.outlook(of: reader, epoch: 1) == .useless)
        #expect(outlook(cursor, Self.reader(Self.point())) == .useless)
        #expect(outlook(Self.cursor(Self.point()), reader) == .useless)
        var foreign = cursor
        foreign.app = AppID(rawValue: 2)
        #expect(outlook(foreign, reader) == .useless)
        var changed = reader
        changed.deviceTypes = DeviceTypes(.android)
        #expect(outlook(cursor, changed) == .useless)
        changed = reader
        changed.state.settingsRevision = Revision(rawValue: 2)
        #expect(outlook(cursor, changed) == .useless)
    }
}

extension Reader {
    fileprivate var pointState: ViewPoint {
        ViewPoint(state: state, deviceTypes: deviceTypes, time: now, soonestExpiry: nil, unreadCount: 0)
    }
}
