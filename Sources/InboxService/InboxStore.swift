package import InboxModel
package import Platform

/// A fault of the store: travels to the edge untouched and is 5xx there, never 401 or 404.
package enum StoreFault: Error, Sendable {
    /// Not reachable, or too busy to answer in time: nothing was done, try again.
    case unavailable(String)
    /// A write whose connection broke before its commit was known: it may have been done.
    case outcomeUnknown
    /// Anything else; the text holds no bound values.
    case broken(String)
}

/// What use cases need of the store.
///
/// Confined to one loop; each call is durable when it returns. Throws `StoreFault`, and `InboxError` where a refusal is named. Another app's id is answered like an unknown one.
package protocol InboxStore: AnyObject {
    /// Hash of the database's identity and timeline, part of every validator; changes after a restore.
    var epoch: UInt64 { get async throws }

    // Look-ups: calls of one pass are gathered into one statement.

    /// The credential and view state of a user; nothing if unknown.
    func credential(of user: UserID) async throws -> Credential?
    func app(_ key: AppKey) async throws -> AppCredentials?

    // The view.

    /// One statement, one snapshot; nothing if the user is gone. Device types and baseline are those of the snapshot.
    func list(for reader: Reader) async throws -> ListSnapshot?
    /// Entries above `revision` that still matter, oldest first.
    func log(of app: AppID, after revision: Revision) async throws -> [LogEntry]
    /// Heads of the messages that exist, in any order.
    func heads(of messages: [MessageID], in app: AppID) async throws -> [MessageHead]
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
    func mark(_ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark) async throws

    // Channels and users.

    /// Makes a channel and its inbox; false if the id exists in this app.
    func register(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws -> Bool
    /// False if there is no such channel in this app.
    func update(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws -> Bool
    /// Makes a user bound to the channel's inbox, or to one of its own without a channel.
    ///
    /// - Throws: `InboxError.notFound` if the channel is unknown.
    func createUser(_ user: UserID, passwordDigest: [UInt8], channel: ChannelID?, deviceType: DeviceType)
        async throws
    /// Makes a channel the user's current one and moves what the user holds into its inbox; again is a no-op.
    ///
    /// - Throws: `InboxError.notFound` if the channel is unknown.
    func attach(_ channel: ChannelID, to user: UserID) async throws
    /// Logs a channel in as a person (made if unknown), or out with nil; again is a no-op. Nothing if the channel is unknown.
    ///
    /// With `onlyIf`, a log-out happens only while that person is logged in.
    func associate(_ channel: ChannelID, with person: NamedUserID?, onlyIf: NamedUserID?, in app: AppID)
        async throws -> Association?
    func association(of channel: ChannelID, in app: AppID) async throws -> Association?
    func channel(_ channel: ChannelID, in app: AppID) async throws -> ChannelRecord?
    func namedUser(_ person: NamedUserID, in app: AppID) async throws -> NamedUserRecord?
    /// Returns the channels that are unknown.
    func changeTags(_ change: TagChange, ofChannels channels: [ChannelID], in app: AppID) async throws
        -> [ChannelID]
    /// Returns the people that are unknown.
    func changeTags(_ change: TagChange, ofPeople people: [NamedUserID], in app: AppID) async throws
        -> [NamedUserID]

    // Messages.

    /// Sends all or nothing, in one transaction.
    func send(_ sends: [Send], for app: AppCredentials) async throws -> [SendOutcome]
    /// Who an audience reaches now, without sending: recipients and unknown selectors.
    func reach(_ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials) async throws
        -> (recipients: Int, unknown: [String])
    /// Takes a message back from every view; false if it is unknown, expired or already taken back.
    func recall(_ message: MessageID, in app: AppID) async throws -> Bool
    func message(_ message: MessageID, in app: AppID) async throws -> MessageReport?
    /// Newest first, at most `limit`, those behind `before` in list order. Counts are not filled in (zero).
    func messages(in app: AppID, before: MessageID?, limit: Int) async throws -> [MessageReport]
    /// Whether the store answers now; for readiness.
    func ping() async throws
}

/// How a reader's inboxes hold a message, with the state of the same snapshot.
package struct Holding: Sendable {
    package var reader: Reader
    /// Held by the device's or the person's inbox as an ordinary delivery, not deleted.
    package var isDelivered: Bool
    /// A broadcast that either deleted.
    package var isDeletedBroadcast: Bool
    /// When the message was recalled, expired or never existed this is false.
    package var isLive: Bool

    package init(reader: Reader, isDelivered: Bool, isDeletedBroadcast: Bool, isLive: Bool) {
        self.reader = reader
        self.isDelivered = isDelivered
        self.isDeletedBroadcast = isDeletedBroadcast
        self.isLive = isLive
    }
}
