package import Foundation

/// An app (tenant), numbered by the database.
package struct AppID: Hashable, Sendable, RawRepresentable, Comparable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static func < (one: AppID, other: AppID) -> Bool { one.rawValue < other.rawValue }
}

/// An inbox of a device or of a person, numbered by the database over all apps.
package struct InboxID: Hashable, Sendable, RawRepresentable, Comparable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (one: InboxID, other: InboxID) -> Bool { one.rawValue < other.rawValue }
}

/// A counter of an inbox or an app, raised under the row's lock, so that commit order is revision order.
package struct Revision: Hashable, Sendable, RawRepresentable, Comparable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (one: Revision, other: Revision) -> Bool { one.rawValue < other.rawValue }
}

/// One installation of an app on one device.
package struct ChannelID: Hashable, Sendable {
    /// The UUID that stands for the channel on the wire.
    package let uuid: UUID

    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads the wire's form, a UUID in any case; nothing if it is none.
    package init?(text: some StringProtocol) {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: String(text)) else { return nil }
        self.uuid = uuid
    }

    /// The wire's form: lower case, since apps restore a channel only by such a UUID.
    package var text: String { uuid.uuidString.lowercased() }
}

/// Something that is sent at a later time.
package struct ScheduleID: Hashable, Sendable {
    /// The UUID that stands for it on the wire.
    package let uuid: UUID

    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads the wire's form, a UUID in any case; nothing if it is none.
    package init?(text: some StringProtocol) {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: String(text)) else { return nil }
        self.uuid = uuid
    }

    /// The wire's form, in lower case.
    package var text: String { uuid.uuidString.lowercased() }
}

/// The public name of an app: 22 characters of `[A-Za-z0-9_-]`, the only form that published clients accept.
package struct AppKey: Hashable, Sendable {
    /// The key as it travels.
    package let text: String

    package init?(text: some StringProtocol) {
        guard text.utf8.count == Base64URL.textBytes, text.utf8.allSatisfy(Base64URL.isDigit) else {
            return nil
        }
        self.text = String(text)
    }
}
