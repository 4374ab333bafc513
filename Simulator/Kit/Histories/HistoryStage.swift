package import HTTPCore
package import Platform
package import ReferenceInbox

/// Where histories are played: two servers over one database, whose clock stands still until it is set forward.
package protocol HistoryStage: Sendable {
    /// Sends a request to one of the servers, 0 or 1.
    func call(_ request: Request, on server: Int) async throws -> Response

    /// Sets the clock of the database forward and returns what it shows then.
    func advanceClock(by duration: Duration) async throws -> Instant

    /// Makes an app that has nothing yet.
    func makeApp(_ settings: ReferenceInbox.Settings) async throws -> AppKeys
}

/// What servers on a stage can do, for stages that cannot do everything.
package struct StageFeatures: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Lists, counts, pages, bodies and marks of `/v1/inbox`.
    package static let inbox = StageFeatures(rawValue: 1)
    /// Changes since a cursor, and marks of all up to one.
    package static let changes = StageFeatures(rawValue: 2)
    /// Logging in by `/v1/session`.
    package static let logins = StageFeatures(rawValue: 4)
    package static let sessions = StageFeatures(rawValue: 8)
    package static let erasure = StageFeatures(rawValue: 16)
    /// Changing an app's settings while it is used.
    package static let settings = StageFeatures(rawValue: 32)
    /// The filter of the server.
    package static let filter = StageFeatures(rawValue: 64)
    /// `Idempotency-Key`.
    package static let keys = StageFeatures(rawValue: 128)
    /// Registering and uninstalling by `/v1/channels`.
    package static let channels = StageFeatures(rawValue: 256)

    package static let all: StageFeatures = [
        .inbox, .changes, .logins, .sessions, .erasure, .settings, .filter, .keys, .channels,
    ]
}
