import EventLoop
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import InboxWire
import Platform
import TestSupport
import Testing

extension DeviceStage {
    /// Stops the database's clock at a time such as `2031-05-06 07:08:09.999`, in UTC.
    func freeze(at time: String) async throws {
        try await script(
            """
            CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
            AS $$ SELECT timestamptz '\(time)+00' $$
            """)
    }

    /// Makes a schedule of the server API; the id of the schedule.
    @discardableResult
    func schedule(
        at time: String = "2031-05-06T07:08:09", for audience: String, title: String = "Later",
        extra: String = ""
    ) async throws -> String {
        let message = #"{"title":"\#(title)","body":"B"\#(extra)}"#
        let body = #"""
            {"schedule":{"scheduled_time":"\#(time)"},
             "push":{"audience":\#(audience),"device_types":"all","message":\#(message)}}
            """#
        let made = await asBackend(.post, "/api/schedules", body)
        try #require(made.status == 201, "\(made.text)")
        guard case .array(let ids)? = try made.json["schedule_ids"] else { return "" }
        return try #require(ids.first?.asText)
    }

    /// A call of the backend on the server API.
    func asBackend(_ method: HTTPCore.Method, _ path: String, _ body: String = "") async -> Response {
        await call(
            method, path, App.basic(acme.key, acme.masterSecret), body,
            headers: ["Accept": "application/vnd.urbanairship+json; version=3"])
    }

    /// Gives `body` the runner of schedules of another instance.
    func withSchedules(
        _ faults: FaultPlan = FaultPlan(), sendsTo sends: String? = nil,
        _ body: (ScheduleRunner) async throws -> Void
    ) async throws {
        let door = try StoreDoor(url, on: shard.loop, shard.configuration.limits, sendsTo: sends)
        let runner = ScheduleRunner(
            on: shard.loop, store: FaultyDueStore(door.store(), faults), log: faults.logged)
        do {
            try await body(runner)
        } catch {
            await door.close()
            throw error
        }
        await door.close()
    }

    /// Sends what is due, as an instance that has just started does it.
    @discardableResult
    func fire(_ faults: FaultPlan = FaultPlan()) async throws -> [String] {
        try await withSchedules(faults) { try await $0.settle() }
        return faults.log
    }
}

extension ScheduleRunner {
    /// Steps until there is nothing to do.
    func settle() async throws {
        while try await step() == .none {}
    }
}

/// A store of what is due that fails one call by plan and passes all others on.
private final class FaultyDueStore: DueStore {
    private let store: PostgresStore
    private let plan: FaultPlan

    init(_ store: sending PostgresStore, _ plan: FaultPlan) {
        self.store = store
        self.plan = plan
    }

    func dueSchedules(without others: [ScheduleID], limit: Int) async throws -> [DueSchedule] {
        try plan.count()
        return try await store.dueSchedules(without: others, limit: limit)
    }

    func fire(_ id: ScheduleID, of app: AppID) async throws -> Bool {
        try plan.count()
        return try await store.fire(id, of: app)
    }
}
