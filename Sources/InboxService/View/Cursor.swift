package import Crypto
package import InboxModel
import Platform

/// How far a client knows its view, as it carries it: opaque and authenticated.
package struct Cursor: Hashable, Sendable {
    /// The pages of changes that are still to come.
    package struct Rest: Hashable, Sendable {
        /// What the client knows when it has them all.
        package var point: ViewPoint
        /// Pages go in the order of message ids; those up to here have come.
        package var after: MessageID

        package init(point: ViewPoint, after: MessageID) {
            self.point = point
            self.after = after
        }
    }

    /// Which database, and which life of it, the revisions belong to.
    package var epoch: UInt64
    package var app: AppID
    package var point: ViewPoint
    package var rest: Rest?

    package init(epoch: UInt64, app: AppID, point: ViewPoint, rest: Rest? = nil) {
        self.epoch = epoch
        self.app = app
        self.point = point
        self.rest = rest
    }
}

/// The two forms that cursors have on the wire, and the key that proves that they are ours.
package struct CursorSeal: Sendable {
    private let key: SecretKey

    /// - Parameter key: the installation's.
    package init(under key: SecretKey) { self.key = key.derive("cursors") }

    /// What a text turned out to be.
    package enum Reading: Hashable, Sendable {
        case cursor(Cursor)
        /// Has a cursor's form, but was not made under this key.
        case foreign
        /// No cursor at all.
        case unreadable
    }

    /// The cursor as URL-safe base64: 132 characters, or 247 while pages are to come.
    package func text(of cursor: Cursor) -> String {
        let bytes = Array(CursorBytes(cursor).bytes)
        return Base64.encodeURLSafe(bytes + tag(of: bytes))
    }

    /// Reads a cursor's text.
    package func read(_ text: String) -> Reading {
        guard text.utf8.count <= CursorSeal.longestText, let sealed = Base64.decodeURLSafe(text) else {
            return .unreadable
        }
        let count = sealed.count - CursorSeal.tagBytes
        guard count > 0 else { return .unreadable }
        let bytes = Array(sealed[..<count])
        guard constantTimeEquals(tag(of: bytes), Array(sealed[count...])) else {
            return CursorBytes.isLength(count) ? .foreign : .unreadable
        }
        return Cursor(bytes).map(Reading.cursor) ?? .foreign  // ours, but of another version
    }

    /// 128 bits suffice where each guess is a request.
    private static let tagBytes = 16
    private static let longestText = 247

    private func tag(of bytes: [UInt8]) -> [UInt8] { Array(key.tag(bytes)[..<CursorSeal.tagBytes]) }
}

/// A cursor's numbers in a row, each with its highest byte first.
private struct CursorBytes {
    private(set) var bytes: [UInt8] = []

    /// Raise it when the layout changes: older cursors are then answered by the whole view.
    static let version: UInt8 = 1
    /// Version, epoch and app, then a point of ten numbers.
    static let plain = 1 + 8 + 4 + pointBytes
    static let withRest = plain + pointBytes + 16
    static let pointBytes = 6 * 8 + 2 + 8 + 8 + 4

    static func isLength(_ count: Int) -> Bool { count == plain || count == withRest }

    init(_ cursor: Cursor) {
        bytes.reserveCapacity(CursorBytes.withRest)
        append(CursorBytes.version)
        append(cursor.epoch)
        append(UInt32(bitPattern: cursor.app.rawValue))
        append(cursor.point)
        guard let rest = cursor.rest else { return }
        append(rest.point)
        append(rest.after.halves.high)
        append(rest.after.halves.low)
    }

    private mutating func append(_ point: ViewPoint) {
        let state = point.state
        // Inboxes are numbered from one, so zero means nobody.
        let person = state.person?.rawValue ?? 0
        let expiry = point.soonestExpiry?.rawValue ?? .max
        let numbers: [Int64] = [
            state.device.rawValue, person, state.deviceRevision.rawValue, state.personRevision.rawValue,
            state.appRevision.rawValue, state.settingsRevision.rawValue, point.time.rawValue, expiry,
        ]
        for number in numbers { append(UInt64(bitPattern: number)) }
        append(UInt16(bitPattern: point.deviceTypes.rawValue))
        append(UInt32(point.unreadCount))
    }

    private mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension Cursor {
    /// Reads what `CursorBytes` wrote; nothing if the version is another.
    fileprivate init?(_ bytes: [UInt8]) {
        var reader = NumberReader(bytes: bytes)
        guard CursorBytes.isLength(bytes.count), reader.next(UInt8.self) == CursorBytes.version else {
            return nil
        }
        epoch = reader.next(UInt64.self)
        app = AppID(rawValue: Int32(bitPattern: reader.next(UInt32.self)))
        point = reader.point()
        guard bytes.count == CursorBytes.withRest else { return }
        let last = reader.point()
        let high = reader.next(UInt64.self)
        rest = Rest(point: last, after: MessageID(high: high, low: reader.next(UInt64.self)))
    }
}

/// Numbers from bytes that the caller has counted.
private struct NumberReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        let end = place + Number.bitWidth / 8
        defer { place = end }
        return bytes[place..<end].reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func signed() -> Int64 { Int64(bitPattern: next(UInt64.self)) }

    mutating func point() -> ViewPoint {
        let device = InboxID(rawValue: signed())
        let person = signed()
        let deviceRevision = Revision(rawValue: signed())
        let personRevision = Revision(rawValue: signed())
        let app = (revision: Revision(rawValue: signed()), settings: Revision(rawValue: signed()))
        let state = ViewState(
            device: device, deviceRevision: deviceRevision,
            person: person == 0 ? nil : InboxID(rawValue: person), personRevision: personRevision, app: app)
        let time = Instant(rawValue: signed())
        let expiry = signed()
        let types = DeviceTypes(rawValue: Int16(bitPattern: next(UInt16.self)))
        return ViewPoint(
            state: state, deviceTypes: types, time: time,
            soonestExpiry: expiry == .max ? nil : Instant(rawValue: expiry),
            unreadCount: Int(next(UInt32.self)))
    }
}
