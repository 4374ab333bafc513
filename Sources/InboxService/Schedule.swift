package import InboxModel
package import Platform

/// What is sent at a later time.
package struct Schedule: Hashable, Sendable {
    package var id: ScheduleID
    package var due: Instant
    package var name: String?
    /// One push or an array of them, as JSON: as it came, for answers.
    package var pushJSON: String
    package var pushes: [ScheduledPush]
    /// The database's time when it was made.
    package var created: Instant

    package init(
        id: ScheduleID, due: Instant, name: String?, pushJSON: String, pushes: [ScheduledPush],
        created: Instant
    ) {
        self.id = id
        self.due = due
        self.name = name
        self.pushJSON = pushJSON
        self.pushes = pushes
        self.created = created
    }

    /// What has to be sent when it is due: a push without a message is kept for answers alone.
    package var sends: [Send] {
        pushes.compactMap { push in
            push.draft.map { draft in
                Send(
                    message: push.message, draft: draft, audience: push.audience,
                    deviceTypes: push.deviceTypes,
                    pushJSON: push.json ?? pushJSON)
            }
        }
    }
}

/// A push of a schedule, checked when that was made; its audience is evaluated when it is sent.
package struct ScheduledPush: Hashable, Sendable {
    package var message: MessageID
    package var draft: Draft?
    package var audience: Audience
    package var deviceTypes: DeviceTypes
    /// As it came; nothing where that is the whole schedule's.
    package var json: String?

    package init(
        message: MessageID, draft: Draft?, audience: Audience, deviceTypes: DeviceTypes, json: String?
    ) {
        self.message = message
        self.draft = draft
        self.audience = audience
        self.deviceTypes = deviceTypes
        self.json = json
    }
}

/// Kept as an object; how its parts are, they say themselves.
extension ScheduledPush: Codable {
    private enum CodingKeys: String, CodingKey {
        case message
        case draft
        case audience
        case deviceTypes = "device_types"
        case json
    }

    package func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        try form.encode(message.text, forKey: .message)
        try form.encodeIfPresent(draft, forKey: .draft)
        try form.encode(audience, forKey: .audience)
        try form.encode(deviceTypes.rawValue, forKey: .deviceTypes)
        try form.encodeIfPresent(json, forKey: .json)
    }

    package init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        guard let message = MessageID(wire: try form.decode(String.self, forKey: .message)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .message, in: form, debugDescription: "no message's id")
        }
        self.init(
            message: message, draft: try form.decodeIfPresent(Draft.self, forKey: .draft),
            audience: try form.decode(Audience.self, forKey: .audience),
            deviceTypes: DeviceTypes(rawValue: try form.decode(Int16.self, forKey: .deviceTypes)),
            json: try form.decodeIfPresent(String.self, forKey: .json))
    }
}

/// A place in the list of an app's schedules: created descending, then id ascending; holds also when the schedule is gone.
package struct SchedulePosition: Hashable, Sendable {
    package var created: Instant
    package var id: ScheduleID

    package init(_ schedule: Schedule) {
        created = schedule.created
        id = schedule.id
    }

    /// Reads what `text` wrote; nothing if it is anything else.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), let id = ScheduleID(text: parts[1]) else {
            return nil
        }
        created = Instant(rawValue: number)
        self.id = id
    }

    package var text: String { "\(created.rawValue).\(id.text)" }
}

/// Some of an app's schedules, newest first.
package struct SchedulePage: Sendable {
    package var schedules: [Schedule]
    /// Whether others come behind them.
    package var hasMore: Bool

    package init(schedules: [Schedule], hasMore: Bool) {
        self.schedules = schedules
        self.hasMore = hasMore
    }
}

/// A schedule whose time has come, or is about to.
package struct DueSchedule: Hashable, Sendable {
    package var app: AppID
    package var id: ScheduleID
    /// How long it still has to wait, by the database's time; zero or less if it is due.
    package var wait: Duration

    package init(app: AppID, id: ScheduleID, wait: Duration) {
        self.app = app
        self.id = id
        self.wait = wait
    }
}
