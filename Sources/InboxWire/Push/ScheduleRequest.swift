package import InboxModel
package import Platform

/// One schedule of the server API, checked as what it sends would be.
package struct ScheduleRequest: Sendable {
    package var name: String?
    package var due: Instant
    package var pushes: [PushRequest]
    /// Whether the pushes came as an array.
    package var isArray: Bool
    /// What is pushed, as it came, as JSON text.
    package var json: String

    /// Reads a body: one schedule, or an array of 1 to `limits.schedulesPerRequest`.
    ///
    /// - Throws: the first refusal; one bad schedule refuses all.
    package static func parse(
        _ body: [UInt8], limits: Limits, now: Instant
    ) throws(InboxError) -> [ScheduleRequest] {
        let root = try JSONField(body: body)
        guard case .array(let elements) = root.value else {
            return [try ScheduleRequest(root, limits: limits, now: now)]
        }
        guard !elements.isEmpty else { throw root.invalid("an array of schedules must not be empty") }
        guard elements.count <= limits.schedulesPerRequest else {
            throw root.invalid(
                "has more than \(limits.schedulesPerRequest) schedules",
                limit: Limit("schedules_per_request", limits.schedulesPerRequest))
        }
        var schedules: [ScheduleRequest] = []
        for field in try root.elements() {
            schedules.append(try ScheduleRequest(field, limits: limits, now: now))
        }
        return schedules
    }

    /// Reads one schedule.
    package init(_ field: JSONField, limits: Limits, now: Instant) throws(InboxError) {
        guard case .object = field.value else { throw field.wrongKind("an object") }
        let times = ScheduleReader(limits: limits, now: now)
        name = try times.name(field)
        due = try times.due(vendor: try field.required("schedule"))
        let push = try field.required("push")
        isArray = if case .array = push.value { true } else { false }
        let fields = isArray ? try push.elements() : [push]
        pushes = try PushRequest.several(push, limits: limits, now: now)
        for (field, push) in zip(fields, pushes) {
            guard let draft = push.draft else { continue }
            try times.check(draft, due, at: field.path(of: "message"))
        }
        json = String(decoding: JSONWriter.bytes { $0.value(push.value) }, as: UTF8.self)
    }
}

/// One schedule of Martlet's own API, checked as a message that is sent at once.
///
/// A member that is not known is refused.
package struct MessageScheduleRequest: Sendable {
    package var name: String?
    package var due: Instant
    package var message: MessageRequest
    /// Only tell who would get it now.
    package var isDryRun: Bool

    package init(_ body: [UInt8], limits: Limits, now: Instant) throws(InboxError) {
        let root = try JSONField(body: body)
        try root.allowOnly(["scheduled_time", "scheduled_in", "name", "message", "dry_run"])
        let times = ScheduleReader(limits: limits, now: now)
        name = try times.name(root)
        due = try times.due(own: root)
        let field = try root.required("message")
        message = try MessageRequest(
            field, allowing: ["audience", "device_types", "message", "options"], limits: limits, now: now)
        try times.check(message.draft, due, at: field.path(of: "message"))
        isDryRun = try root.member(unlessNull: "dry_run")?.bool() ?? false
    }
}

/// Reads names and times of schedules.
private struct ScheduleReader {
    let limits: Limits
    /// The database's time.
    let now: Instant

    func name(_ field: JSONField) throws(InboxError) -> String? {
        guard let member = field.member(unlessNull: "name") else { return nil }
        let name = try member.string()
        guard !name.allSatisfy(\.isWhitespace) else { throw member.invalid("must not be empty or blank") }
        guard name.utf8.count <= limits.scheduleNameBytes else {
            throw member.invalid(
                "is longer than \(limits.scheduleNameBytes) bytes",
                limit: Limit("schedule_name_bytes", limits.scheduleNameBytes))
        }
        return name
    }

    /// The time of an object that may say more than we can do: what we cannot is refused, not done otherwise.
    func due(vendor field: JSONField) throws(InboxError) -> Instant {
        for (name, member) in try field.members() where name != "scheduled_time" && member.value != .null {
            let isKnown = ["local_scheduled_time", "best_time", "recurring"].contains(name)
            throw member.invalid(
                isKnown
                    ? "'\(name)' is not supported yet: give a 'scheduled_time' in UTC alone"
                    : "'\(name)' is unknown here")
        }
        return try time(try field.required("scheduled_time"))
    }

    /// A time, or seconds from now.
    func due(own field: JSONField) throws(InboxError) -> Instant {
        guard let delay = field.member(unlessNull: "scheduled_in") else {
            return try time(try field.required("scheduled_time"))
        }
        guard field.member(unlessNull: "scheduled_time") == nil else {
            throw delay.invalid("must not stand beside 'scheduled_time'")
        }
        let seconds = try delay.integer()
        guard (1...ScheduleReader.longestDelay).contains(seconds) else {
            throw delay.invalid("must be a number of seconds from 1 to \(ScheduleReader.longestDelay)")
        }
        return Instant(rawValue: now.rawValue + seconds * 1_000_000)
    }

    private func time(_ field: JSONField) throws(InboxError) -> Instant {
        guard let time = CalendarTime(text: try field.string()) else {
            throw field.invalid("must be a time in UTC such as 2031-05-06T07:08:09")
        }
        guard time.instant > now else { throw field.invalid("lies in the past") }
        return time.instant
    }

    /// A message that ends before it begins would be seen by nobody.
    func check(_ draft: Draft, _ due: Instant, at path: String) throws(InboxError) {
        guard case .at(let expiry) = draft.expiry, expiry <= due else { return }
        throw .invalid(field: "\(path).expiry", reason: "must lie behind the scheduled time")
    }

    /// A hundred years.
    private static let longestDelay: Int64 = 3_155_760_000
}
