package import InboxModel

/// What waits to be sent, as backends make and see it; see `InboxStore`.
///
/// Each change is a line of the audit, too.
package protocol ScheduleStore: AnyObject {
    /// Keeps all or nothing, with the request's key; nothing is returned then, else what the first request under the key
    /// was answered with.
    ///
    /// - Throws: `InboxError.invalid` if the app then had more than the limit; `InboxError.conflict` if the key came with
    ///   another request before.
    func create(_ schedules: [Schedule], in app: AppID, as terms: SendTerms) async throws -> FirstAnswer?
    /// Nothing if it is unknown or was sent.
    func schedule(_ id: ScheduleID, in app: AppID) async throws -> Schedule?
    /// Newest first, at most `limit`, fewer where they are large, those behind a position.
    func schedules(in app: AppID, after: SchedulePosition?, limit: Int) async throws -> SchedulePage
    func scheduleCount(in app: AppID) async throws -> Int
    /// Puts another in its place, with the same id; false if it is unknown or was sent.
    func replace(_ schedule: Schedule, in app: AppID, by actor: String) async throws -> Bool
    /// False if it is unknown or was sent: of a deletion and the sending, one wins.
    func delete(_ id: ScheduleID, in app: AppID, by actor: String) async throws -> Bool
}

/// What sends schedules when they are due; not part of `InboxStore`, since no request does it.
package protocol DueStore: AnyObject {
    /// Those of all apps that are due within a second, by their time, without `others`.
    func dueSchedules(without others: [ScheduleID], limit: Int) async throws -> [DueSchedule]
    /// Sends a schedule that is due; false if that was done, or it was deleted or put off.
    func fire(_ id: ScheduleID, of app: AppID) async throws -> Bool
}
