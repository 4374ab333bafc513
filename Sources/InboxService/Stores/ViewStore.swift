package import InboxModel
package import Platform

/// What is read and marked on behalf of a reader; see `InboxStore`.
package protocol ViewStore: AnyObject {
    /// Hash of the database's identity and timeline, part of every validator; changes after a restore.
    var epoch: UInt64 { get async throws }

    /// The credential and view state of a user or session; nothing if unknown or expired.
    ///
    /// Calls of one pass are gathered into one statement.
    func credential(of user: UserID) async throws -> Credential?

    /// One statement, one snapshot; nothing if the user is gone. Device types and baseline are those of the snapshot.
    func list(for reader: Reader) async throws -> ListSnapshot?
    /// The list, and which messages may look different from how they did at `point`, by one snapshot; nothing if the
    /// user is gone.
    ///
    /// Names more rather than fewer. Means something only if `point` has the snapshot's inboxes and settings.
    /// - Complexity: the list, and what changed since `point`.
    func changes(for reader: Reader, since point: ViewPoint) async throws -> ChangeSnapshot?
    /// Entries above `revision` that still matter, and how far the log goes, by one snapshot.
    func log(of app: AppID, after revision: Revision) async throws -> LogNews
    /// Heads of the messages that exist, in any order.
    func heads(of messages: [MessageID], in app: AppID) async throws -> [MessageHead]
    /// Those of the messages whose `extra` has all of these values.
    func messages(
        among messages: [MessageID], withExtra extra: [String: String], in app: AppID
    ) async throws -> [MessageID]
    func body(of message: MessageID, in app: AppID) async throws -> MessageBody?
    /// Whether the reader's inboxes hold the message, by one snapshot; broadcasts are held by the log instead.
    ///
    /// Nothing if the user is gone.
    func holding(of message: MessageID, by reader: Reader) async throws -> Holding?
    /// Stores what a list was made with; returns the date that it may show, larger than any before.
    ///
    /// Nothing if the user is gone. Keeps what is stored if it is equal in state and expiry. `received` is the client's date, in seconds since 1970.
    func saveValidator(
        _ validator: (state: [UInt8], soonestExpiry: Instant?), of user: UserID, received: Int64?
    )
        async throws -> Int64?
    /// Marks what the reader's inboxes hold among `messages`, and the live ones among `broadcasts`.
    ///
    /// Unknown, foreign, expired and deleted ids change nothing. Whose inboxes is read again under their locks.
    /// - Parameter point: deliveries that came to their inbox after this state of the same inboxes are left alone.
    /// - Throws: `ReaderChanged` where a filter has judged the messages for somebody who is not logged in any more.
    func mark(
        _ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark,
        upTo point: ViewState?
    ) async throws
}

/// Somebody else is logged in than when a filter judged what the reader may see; nothing was done.
package struct ReaderChanged: Error {
    package init() {}
}

/// How a reader's inboxes hold a message, with the state of the same snapshot.
package struct Holding: Sendable {
    package var reader: Reader
    /// Held by the device's inbox as an ordinary delivery, not deleted; a session has none.
    package var isDelivered: Bool
    /// Held so by the person's inbox.
    package var isDeliveredToPerson: Bool
    /// A broadcast that either deleted.
    package var isDeletedBroadcast: Bool
    /// When the message was recalled, expired or never existed this is false.
    package var isLive: Bool
    /// The person that a filter asks for; read only while the app has one.
    package var person: NamedUserID?

    package init(
        reader: Reader, delivered: (device: Bool, person: Bool), isDeletedBroadcast: Bool, isLive: Bool,
        person: NamedUserID? = nil
    ) {
        self.reader = reader
        isDelivered = delivered.device
        isDeliveredToPerson = delivered.person
        self.person = person
        self.isDeletedBroadcast = isDeletedBroadcast
        self.isLive = isLive
    }
}
