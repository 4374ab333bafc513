package import InboxModel
package import Platform

/// A channel as a backend sees it.
package struct ChannelRecord: Sendable {
    package var channel: ChannelID
    package var deviceType: DeviceType
    package var isInstalled: Bool
    package var isOptedIn: Bool
    package var hasBackground: Bool
    package var pushAddress: String?
    package var created: Instant
    package var lastRegistration: Instant
    package var namedUser: NamedUserID?
    /// Tags by group; the SDK's own are in `Audience.deviceTagGroup`.
    package var tags: [String: [String]]

    package init(
        channel: ChannelID, deviceType: DeviceType, flags: (installed: Bool, optedIn: Bool, background: Bool),
        pushAddress: String?, times: (created: Instant, lastRegistration: Instant), namedUser: NamedUserID?,
        tags: [String: [String]]
    ) {
        self.channel = channel
        self.deviceType = deviceType
        isInstalled = flags.installed
        isOptedIn = flags.optedIn
        hasBackground = flags.background
        self.pushAddress = pushAddress
        created = times.created
        lastRegistration = times.lastRegistration
        self.namedUser = namedUser
        self.tags = tags
    }
}

/// A person as a backend sees it.
package struct NamedUserRecord: Sendable {
    package var namedUser: NamedUserID
    package var created: Instant
    package var lastModified: Instant
    package var tags: [String: [String]]
    package var channels: [ChannelRecord]

    package init(
        namedUser: NamedUserID, created: Instant, lastModified: Instant, tags: [String: [String]],
        channels: [ChannelRecord]
    ) {
        self.namedUser = namedUser
        self.created = created
        self.lastModified = lastModified
        self.tags = tags
        self.channels = channels
    }
}

/// What a device says of itself when it registers.
///
/// Absent (nil) means unchanged, never cleared.
package struct Registration: Sendable {
    package var deviceType: DeviceType?
    package var isOptedIn: Bool?
    package var hasBackground: Bool?
    package var pushAddress: String?
    /// The whole set of the device's tags, where it says so.
    package var tags: [String]?
    package var addedTags: [String] = []
    package var removedTags: [String] = []
    /// Locale, versions and the like as JSON, for the operator; empty if there is none.
    package var detailsJSON: String = "{}"

    package init(deviceType: DeviceType?) { self.deviceType = deviceType }
}

/// What became of an association.
package struct Association: Sendable {
    /// The person's or anonymous contact's UUID, stable for the pair of channel and person.
    package var contact: String
    package var namedUser: NamedUserID?
    /// When the channel last changed hands.
    package var since: Instant

    package init(contact: String, namedUser: NamedUserID?, since: Instant) {
        self.contact = contact
        self.namedUser = namedUser
        self.since = since
    }
}

/// One message and who gets it.
package struct Send: Sendable {
    package var message: MessageID
    package var draft: Draft
    package var audience: Audience
    package var deviceTypes: DeviceTypes
    /// The push as it came, for reports; JSON.
    package var pushJSON: String

    package init(
        message: MessageID, draft: Draft, audience: Audience, deviceTypes: DeviceTypes, pushJSON: String
    ) {
        self.message = message
        self.draft = draft
        self.audience = audience
        self.deviceTypes = deviceTypes
        self.pushJSON = pushJSON
    }

    /// To everyone: one row of the app's log instead of deliveries.
    package var isBroadcast: Bool { audience == .everyone }
}

/// What a send reached.
package struct SendOutcome: Sendable {
    package var message: MessageID
    /// Inboxes that got the message; for a broadcast the channels it was visible to at once; where it is still being
    /// delivered, the estimate.
    package var recipients: Int
    /// Inboxes that matched when it was sent, if it is delivered in the background.
    package var estimate: Int?
    /// Selectors that name nobody, as `kind:id`, such as `named_user:ana`.
    package var unknown: [String]
    package var sent: Instant
    package var expires: Instant
    /// The life that was asked for was longer than the limit.
    package var isExpiryClamped: Bool

    package init(
        message: MessageID, recipients: Int, estimate: Int? = nil, unknown: [String], sent: Instant,
        expires: Instant, isExpiryClamped: Bool
    ) {
        self.message = message
        self.recipients = recipients
        self.estimate = estimate
        self.unknown = unknown
        self.sent = sent
        self.expires = expires
        self.isExpiryClamped = isExpiryClamped
    }
}

/// What became of a recall.
package enum RecallOutcome: Hashable, Sendable {
    case recalled
    /// It was before; nothing changed.
    case recalledBefore
    /// It is in no inbox any more.
    case expired
    case unknown
}

/// A reader that was given a message's body.
package struct Fetch: Hashable, Sendable {
    package var app: AppID
    package var message: MessageID
    /// The device's, or of a session's person.
    package var inbox: InboxID

    package init(app: AppID, message: MessageID, inbox: InboxID) {
        self.app = app
        self.message = message
        self.inbox = inbox
    }
}

/// A sent message as a backend sees it.
package struct MessageReport: Sendable {
    package var head: MessageHead
    package var recipients: Int
    package var readCount: Int
    /// Without those that were taken back.
    package var deletedCount: Int
    /// Inboxes whose reader was given the body.
    package var fetchedCount: Int
    package var isBroadcast: Bool
    package var recalled: Instant?
    /// While it is delivered in the background.
    package var progress: FanOutProgress?

    package init(
        head: MessageHead, counts: (recipients: Int, read: Int, deleted: Int, fetched: Int),
        isBroadcast: Bool,
        recalled: Instant?, progress: FanOutProgress?
    ) {
        self.progress = progress
        self.head = head
        recipients = counts.recipients
        readCount = counts.read
        deletedCount = counts.deleted
        fetchedCount = counts.fetched
        self.isBroadcast = isBroadcast
        self.recalled = recalled
    }
}

/// How far a message has come on its way to a large audience.
package struct FanOutProgress: Hashable, Sendable {
    /// Inboxes that have it.
    package var delivered: Int
    /// Inboxes that matched when it was sent; in the end it may have been more or fewer.
    package var estimate: Int

    package init(delivered: Int, estimate: Int) {
        self.delivered = delivered
        self.estimate = estimate
    }
}
