package import InboxModel
package import Platform

/// The rows of one view and the state they belong to, from one statement.
package struct ListSnapshot: Sendable {
    package var reader: Reader
    /// The device's live deliveries in list order, then the person's in list order; broadcasts are not among them.
    package var deliveries: [DeliveryRow]
    /// How many of `deliveries` are the device's.
    package var ofDevice: Int
    /// Marks of broadcasts by device and person, and what both say of messages that the device has beside people; of
    /// what both speak of there are two.
    package var marks: [BroadcastMark]
    /// The person that a filter asks for; read only while the app has one.
    package var person: NamedUserID?

    package init(
        reader: Reader, deliveries: [DeliveryRow], ofDevice: Int, marks: [BroadcastMark],
        person: NamedUserID? = nil
    ) {
        self.reader = reader
        self.deliveries = deliveries
        self.ofDevice = ofDevice
        self.marks = marks
        self.person = person
    }
}

/// A snapshot of a view with the messages that may look different from how they did at an earlier point.
package struct ChangeSnapshot: Sendable {
    package var list: ListSnapshot
    /// In no order, each once: changed, added, deleted, recalled, expired or fallen below a floor since.
    package var touched: [MessageID]

    package init(list: ListSnapshot, touched: [MessageID]) {
        self.list = list
        self.touched = touched
    }
}

/// A delivery as a list needs it: everything else is in the message, which never changes.
package struct DeliveryRow: Hashable, Sendable {
    package var message: MessageID
    package var isUnread: Bool

    package init(message: MessageID, isUnread: Bool) {
        self.message = message
        self.isUnread = isUnread
    }
}

/// What a reader did with a broadcast, or with a message that device and person may both hold.
package struct BroadcastMark: Hashable, Sendable {
    package var message: MessageID
    package var isUnread: Bool
    package var isDeleted: Bool
    package var at: Instant

    package init(message: MessageID, isUnread: Bool, isDeleted: Bool, at: Instant) {
        self.message = message
        self.isUnread = isUnread
        self.isDeleted = isDeleted
        self.at = at
    }
}

/// A place in list order: sent descending, then message id ascending by its text.
package struct ListPosition: Hashable, Sendable {
    package var sent: Instant
    package var message: MessageID

    package init(sent: Instant, message: MessageID) {
        self.sent = sent
        self.message = message
    }
}

/// A line of an app's log: what concerns every view of the app.
package struct LogEntry: Hashable, Sendable {
    /// What the line says.
    package enum Kind: Hashable, Sendable {
        /// A message to everyone; with it, what fell below the app's floor is gone (`floor` itself and all behind it).
        case broadcast(ListPosition, expires: Instant, DeviceTypes, floor: ListPosition?)
        /// A message taken back that is too widely held for a tombstone each, or a broadcast.
        case recall(MessageID, expires: Instant)
    }

    package var revision: Revision
    package var kind: Kind

    package init(revision: Revision, kind: Kind) {
        self.revision = revision
        self.kind = kind
    }
}

/// What an app's log says after a revision.
package struct LogNews: Hashable, Sendable {
    /// Oldest first.
    package var entries: [LogEntry]
    /// The app's revision in the same snapshot: below the one that was asked for, the database has gone back.
    package var reached: Revision

    package init(_ entries: [LogEntry], reached: Revision) {
        self.entries = entries
        self.reached = reached
    }
}

/// What a reader may do to messages.
package enum Mark: Sendable {
    case read
    case unread
    case delete
}
