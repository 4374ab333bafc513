/// What a backend's token may be good for; none implies another.
package enum TokenScope: String, Sendable, CaseIterable {
    /// Messages, schedules and sessions.
    case send
    /// Whatever is kept, without changing it.
    case read
    /// Settings, people's data as a whole, and the audit.
    case admin
}
