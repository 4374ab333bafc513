import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// `POST /api/schedules`: keeps one schedule or an array of them, all or nothing.
    static func createSchedules(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let body = try call.plainBody()
        let repeatable = try call.repeatable(as: "POST /api/schedules")
        if let repeatable, let first = try await shard.store.firstAnswer(to: repeatable, in: app.app) {
            return try .made(try ScheduleReceipt(memo: first.memo), from: body, at: call.base)
        }
        let limits = shard.configuration.limits
        let requests = try ScheduleRequest.parse(body, limits: limits, now: app.now)
        let schedules = requests.map { $0.schedule(made: app.now) }
        var receipt = ScheduleReceipt(
            operation: UUID().uuidString.lowercased(), schedules,
            warnings: requests.flatMap { $0.pushes.flatMap(\.warnings) })
        let terms = SendTerms(actor: caller.actor, request: repeatable, memo: try receipt.memo)
        if let first = try await shard.store.create(schedules, in: app.app, as: terms) {
            receipt = try ScheduleReceipt(memo: first.memo)
        }
        return try .made(receipt, from: body, at: call.base)
    }

    /// `GET /api/schedules?limit=&start=`: newest first.
    static func listSchedules(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let asked = try ScheduleQuery(call.request, position: "start", most: 1000)
        let page = try await shard.store.schedules(in: app.app, after: asked.after, limit: asked.limit)
        let total = try await shard.store.scheduleCount(in: app.app)
        let shown = try page.schedules.map { try VendorSchedule($0) }
        let next = page.hasMore ? page.schedules.last.map(SchedulePosition.init) : nil
        return .vendor { body in
            body.member("count", shown.count)
            body.member("total_count", total)
            if let next {
                body.member(
                    "next_page", "\(call.base)/api/schedules?limit=\(asked.limit)&start=\(next.text)")
            }
            body.array("schedules") { list in
                for schedule in shown { list.value(schedule, at: call.base) }
            }
        }
    }

    /// `GET /api/schedules/{id}`: the bare object, as published clients read it.
    static func showSchedule(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let shown = try VendorSchedule(try await shard.schedule(call.parameters[0], in: app))
        let body = JSONWriter.bytes { $0.value(shown, at: call.base) }
        return Response(status: 200, headers: ["Content-Type": WireError.vendorMediaType], body: body)
    }

    /// `PUT /api/schedules/{id}`: another whole schedule in its place; its messages keep their ids.
    static func replaceSchedule(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        let app = caller.app
        let old = try await shard.schedule(call.parameters[0], in: app)
        let field = try JSONField(body: try call.plainBody())
        let request = try ScheduleRequest(field, limits: shard.configuration.limits, now: app.now)
        let new = request.schedule(in: old)
        guard try await shard.store.replace(new, in: app.app, by: caller.actor) else {
            throw InboxError.notFound(what: "schedule")
        }
        let receipt = ScheduleReceipt(
            operation: UUID().uuidString.lowercased(), [new], warnings: request.pushes.flatMap(\.warnings))
        return .made(receipt, [VendorSchedule(receipt.schedules[0], from: field.value)], 200, at: call.base)
    }

    /// `DELETE /api/schedules/{id}`: it will not be sent.
    static func deleteSchedule(
        _ shard: isolated Shard, _ call: Call, _ caller: BackendCaller
    ) async throws -> Response {
        guard let id = ScheduleID(text: call.parameters[0]),
            try await shard.store.delete(id, in: caller.app.app, by: caller.actor)
        else { throw InboxError.notFound(what: "schedule") }
        return Response(status: 204)
    }

    /// A schedule that has not been sent.
    ///
    /// - Throws: `InboxError.notFound`, also for another app's.
    func schedule(_ id: String, in app: AppCredentials) async throws -> Schedule {
        guard let id = ScheduleID(text: id), let schedule = try await store.schedule(id, in: app.app) else {
            throw InboxError.notFound(what: "schedule")
        }
        return schedule
    }
}

/// Which page of schedules is asked for.
struct ScheduleQuery {
    /// Of a page of whole schedules on /v1.
    static let largestLimit = 100

    var limit: Int
    var after: SchedulePosition?

    init(_ request: Request, position name: String, most: Int) throws(InboxError) {
        limit = try request.pageLimit("schedules_per_page", upTo: most, or: min(100, most))
        guard let text = request.queryValues(name).first else { return }
        guard let position = SchedulePosition(text: text) else {
            throw .invalid(field: name, reason: "must be what the page before gave for the next one")
        }
        after = position
    }
}

extension ScheduleRequest {
    /// A new schedule that does what was asked.
    func schedule(made: Instant) -> Schedule {
        let nothing = Schedule(
            id: ScheduleID(UUID()), due: due, name: nil, pushJSON: "", pushes: [], created: made)
        return schedule(in: nothing)
    }

    /// The same in the place of another one: the id stays, and those of its messages as far as they go.
    func schedule(in old: Schedule) -> Schedule {
        var schedule = old
        (schedule.due, schedule.name, schedule.pushJSON) = (due, name, json)
        schedule.pushes = pushes.enumerated().map { index, push in
            let message = index < old.pushes.count ? old.pushes[index].message : MessageID(pushID: UUID())
            return ScheduledPush(
                message: message, draft: push.draft, audience: push.audience, deviceTypes: push.deviceTypes,
                json: isArray ? push.json : nil)
        }
        return schedule
    }
}

extension Response {
    /// The answer to a body of schedules, which is an object or an array.
    fileprivate static func made(_ receipt: ScheduleReceipt, from body: [UInt8], at base: String) throws
        -> Response
    {
        let asked = try JSONField(body: body).value
        let elements = if case .array(let elements) = asked { elements } else { [asked] }
        let schedules = zip(receipt.schedules, elements).map { VendorSchedule($0, from: $1) }
        return made(receipt, schedules, 201, at: base)
    }

    fileprivate static func made(
        _ receipt: ScheduleReceipt, _ schedules: [VendorSchedule], _ status: Int, at base: String
    ) -> Response {
        var response = vendor(status: status) { body in
            if let operation = receipt.operation { body.member("operation_id", operation) }
            body.member("schedule_urls", schedules.map { $0.url(base) })
            body.member("schedule_ids", schedules.map(\.id))
            body.array("schedules") { list in for schedule in schedules { list.value(schedule, at: base) } }
            if !receipt.warnings.isEmpty { body.member("warnings", receipt.warnings) }
        }
        if status == 201, schedules.count == 1 { response.headers.add("Location", schedules[0].url(base)) }
        return response
    }
}
