import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// `POST /v1/schedules`: keeps a message for later, or tells who would get it now.
    static func createSchedule(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let body = try call.plainBody()
        let repeatable = try call.repeatable(as: "POST /v1/schedules")
        if let repeatable, let first = try await shard.store.firstAnswer(to: repeatable, in: app.app) {
            return try .made(try ScheduleReceipt(memo: first.memo), from: body)
        }
        let request = try MessageScheduleRequest(body, limits: shard.configuration.limits, now: app.now)
        guard !request.isDryRun else { return try await shard.rehearse(request.message, for: app) }
        let message = ScheduledPush(
            message: MessageID(pushID: UUID()), draft: request.message.draft,
            audience: request.message.audience,
            deviceTypes: request.message.deviceTypes, json: nil)
        let schedule = Schedule(
            id: ScheduleID(UUID()), due: request.due, name: request.name, pushJSON: request.message.json,
            pushes: [message], created: app.now)
        var receipt = ScheduleReceipt([schedule], warnings: request.message.warnings)
        let terms = SendTerms(actor: caller.actor, request: repeatable, memo: try receipt.memo)
        if let first = try await shard.store.create([schedule], in: app.app, as: terms) {
            receipt = try ScheduleReceipt(memo: first.memo)
        }
        return try .made(receipt, from: body)
    }

    /// `GET /v1/schedules?limit=&before=`: newest first; `next` is the `before` of the next page.
    static func listMessageSchedules(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let asked = try ScheduleQuery(call.request, position: "before", most: ScheduleQuery.largestLimit)
        let page = try await shard.store.schedules(in: app.app, after: asked.after, limit: asked.limit)
        let shown = try page.schedules.map { try MartletSchedule($0) }
        let next = page.hasMore ? page.schedules.last.map(SchedulePosition.init) : nil
        return .json { body in
            body.array("schedules") { list in
                for schedule in shown { list.object { $0.members(of: schedule) } }
            }
            body.member("next", orNull: next?.text)
        }
    }

    /// `GET /v1/schedules/{id}`.
    static func showMessageSchedule(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let shown = try MartletSchedule(try await shard.schedule(call.parameters[0], in: app))
        return .json { $0.members(of: shown) }
    }
}

/// A schedule as Martlet's own API shows it.
private struct MartletSchedule {
    let id: String
    let name: String?
    let due: Instant
    let created: Instant
    let messages: [MessageID]
    /// As it was asked for; an array, if the server API was asked to push several.
    let message: JSON

    init(_ schedule: Schedule) throws {
        id = schedule.id.text
        name = schedule.name
        due = schedule.due
        created = schedule.created
        messages = schedule.pushes.map(\.message)
        do {
            message = try JSON.parse(Array(schedule.pushJSON.utf8))
        } catch {
            throw StoreFault.broken("schedule \(id) keeps a push that is no JSON")
        }
    }

    /// One that was made, by what was asked for.
    init(_ made: ScheduleReceipt.Entry, from asked: JSON) {
        id = made.id
        name = if case .string(let name)? = asked["name"] { name } else { nil }
        due = Instant(rawValue: made.due)
        created = Instant(rawValue: made.created)
        messages = made.messages.compactMap { MessageID(wire: $0) }
        message = asked["message"] ?? .null
    }
}

extension JSONWriter {
    fileprivate mutating func members(of schedule: MartletSchedule) {
        member("schedule_id", schedule.id)
        member("name", orNull: schedule.name)
        member("scheduled_time", schedule.due.millisecondsText)
        member("created", schedule.created.millisecondsText)
        member("message_ids", schedule.messages.map(\.text))
        member("push_ids", schedule.messages.map(\.pushID))
        name("message")
        value(schedule.message)
    }
}

extension Response {
    fileprivate static func made(_ receipt: ScheduleReceipt, from body: [UInt8]) throws -> Response {
        let schedule = MartletSchedule(receipt.schedules[0], from: try JSONField(body: body).value)
        return .json(status: 201) { body in
            body.members(of: schedule)
            if !receipt.warnings.isEmpty { body.member("warnings", receipt.warnings) }
        }
    }
}
