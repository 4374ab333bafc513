package import InboxModel
package import InboxService
package import InboxStorage
package import Platform

/// Which call of a store fails, and how; and what was logged of it.
package struct FaultPlan: Sendable {
    private struct State: Sendable {
        var callsUntilFault = Int.max
        var fault = StoreFault.outcomeUnknown
        var log: [String] = []
    }

    private let state = Lock(State())

    package init() {}

    /// From now on, the `number`-th call throws; the first is 1.
    package func fail(call number: Int, with fault: StoreFault) {
        state.withLock {
            $0.callsUntilFault = number
            $0.fault = fault
            $0.log = []
        }
    }

    /// Whether the call that was to fail has come; then no further one fails.
    package var hasFailed: Bool { state.withLock { $0.callsUntilFault <= 0 } }

    /// Lines that were logged since the plan was made.
    package var log: [String] { state.withLock { $0.log } }

    package func logged(_ line: String) { state.withLock { $0.log.append(line) } }

    /// Counts a call.
    package func count() throws {
        let fault: StoreFault? = state.withLock {
            guard $0.callsUntilFault > 0 else { return nil }
            $0.callsUntilFault -= 1
            return $0.callsUntilFault == 0 ? $0.fault : nil
        }
        if let fault { throw fault }
    }
}

/// A store that fails one call by plan and passes all others on; its heirs change what comes back.
package class FaultyStore: InboxStore {
    private let store: PostgresStore
    private let plan: FaultPlan

    package init(_ store: sending PostgresStore, _ plan: FaultPlan) {
        self.store = store
        self.plan = plan
    }

    /// The store, for a call that does not fail.
    package func passed() throws -> PostgresStore {
        try plan.count()
        return store
    }

    package var epoch: UInt64 { get async throws { try await passed().epoch } }

    package func credential(of user: UserID) async throws -> Credential? {
        try await passed().credential(of: user)
    }

    package func credentials(of users: [UserID]) async throws -> [Credential?] {
        try await passed().credentials(of: users)
    }

    package func changed(_ inboxes: [KnownInbox]) async throws -> [Int] {
        try await passed().changed(inboxes)
    }

    package func changed(_ apps: [KnownApp]) async throws -> [AppID] { try await passed().changed(apps) }

    package func pace(of app: AppID) async throws -> AppPace? { try await passed().pace(of: app) }

    package func exists(_ inbox: InboxID, in app: AppID) async throws -> Bool {
        try await passed().exists(inbox, in: app)
    }

    package func app(_ key: AppKey) async throws -> AppCredentials? { try await passed().app(key) }

    package func app(_ app: AppID) async throws -> AppCredentials? { try await passed().app(app) }

    package func backendToken(_ digest: [UInt8]) async throws -> BackendToken? {
        try await passed().backendToken(digest)
    }

    package func list(for reader: Reader) async throws -> ListSnapshot? {
        try await passed().list(for: reader)
    }

    package func log(of app: AppID, after revision: Revision) async throws -> LogNews {
        try await passed().log(of: app, after: revision)
    }

    package func heads(of messages: [MessageID], in app: AppID) async throws -> [MessageHead] {
        try await passed().heads(of: messages, in: app)
    }

    package func body(of message: MessageID, in app: AppID) async throws -> MessageBody? {
        try await passed().body(of: message, in: app)
    }

    package func holding(of message: MessageID, by reader: Reader) async throws -> Holding? {
        try await passed().holding(of: message, by: reader)
    }

    package func saveValidator(
        _ validator: (state: [UInt8], soonestExpiry: Instant?), of user: UserID, received: Int64?
    ) async throws -> Int64? {
        try await passed().saveValidator(validator, of: user, received: received)
    }

    package func mark(
        _ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark,
        upTo point: ViewState?
    ) async throws {
        try await passed().mark(messages, broadcasts: broadcasts, of: reader, as: mark, upTo: point)
    }

    package func changes(for reader: Reader, since point: ViewPoint) async throws -> ChangeSnapshot? {
        try await passed().changes(for: reader, since: point)
    }

    package func messages(
        among messages: [MessageID], withExtra extra: [String: String], in app: AppID
    ) async throws -> [MessageID] {
        try await passed().messages(among: messages, withExtra: extra, in: app)
    }

    package func register(
        _ channel: ChannelID, _ registration: Registration, in app: AppID
    ) async throws -> Bool {
        try await passed().register(channel, registration, in: app)
    }

    package func update(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws
        -> Bool
    {
        try await passed().update(channel, registration, in: app)
    }

    package func createUser(
        _ user: UserID, passwordDigest: [UInt8], channel: ChannelID?, deviceType: DeviceType
    ) async throws {
        try await passed().createUser(
            user, passwordDigest: passwordDigest, channel: channel, deviceType: deviceType)
    }

    package func attach(_ channel: ChannelID, to user: UserID) async throws {
        try await passed().attach(channel, to: user)
    }

    package func logIn(
        _ channel: ChannelID, as person: NamedUserID, with proof: VerifiedProof?, in app: AppID
    ) async throws -> LogInOutcome {
        try await passed().logIn(channel, as: person, with: proof, in: app)
    }

    package func logOut(_ channel: ChannelID, _ condition: LogOut, in app: AppID) async throws -> Association?
    {
        try await passed().logOut(channel, condition, in: app)
    }

    package func register(
        _ channel: ChannelID, _ registration: Registration, for user: UserID, passwordDigest: [UInt8]
    ) async throws -> Bool {
        try await passed().register(channel, registration, for: user, passwordDigest: passwordDigest)
    }

    package func uninstall(_ channel: ChannelID, of user: UserID) async throws -> Bool {
        try await passed().uninstall(channel, of: user)
    }

    package func user(of channel: ChannelID, in app: AppID) async throws -> UserID? {
        try await passed().user(of: channel, in: app)
    }

    package func channel(of user: UserID) async throws -> ChannelID? { try await passed().channel(of: user) }

    package func openSession(_ session: NewSession, by actor: String) async throws -> Instant {
        try await passed().openSession(session, by: actor)
    }

    package func endSession(_ user: UserID, by actor: String) async throws -> Bool {
        try await passed().endSession(user, by: actor)
    }

    package func association(of channel: ChannelID, in app: AppID) async throws -> Association? {
        try await passed().association(of: channel, in: app)
    }

    package func channel(_ channel: ChannelID, in app: AppID) async throws -> ChannelRecord? {
        try await passed().channel(channel, in: app)
    }

    package func namedUser(_ person: NamedUserID, in app: AppID) async throws -> NamedUserRecord? {
        try await passed().namedUser(person, in: app)
    }

    package func namedUsers(in app: AppID, after: NamedUserID?, limit: Int) async throws -> [NamedUserRecord]
    {
        try await passed().namedUsers(in: app, after: after, limit: limit)
    }

    package func changeTags(
        _ change: TagChange, ofChannels channels: [ChannelID], in app: AppID
    ) async throws -> [ChannelID] {
        try await passed().changeTags(change, ofChannels: channels, in: app)
    }

    package func changeTags(
        _ change: TagChange, ofPeople people: [NamedUserID], in app: AppID
    ) async throws -> [NamedUserID] {
        try await passed().changeTags(change, ofPeople: people, in: app)
    }

    package func send(
        _ sends: [Send], for app: AppCredentials, as terms: SendTerms
    ) async throws -> SendResult {
        try await passed().send(sends, for: app, as: terms)
    }

    package func firstAnswer(to request: RepeatableRequest, in app: AppID) async throws -> FirstAnswer? {
        try await passed().firstAnswer(to: request, in: app)
    }

    package func reach(
        _ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials
    ) async throws -> (recipients: Int, unknown: [String]) {
        try await passed().reach(audience, deviceTypes, for: app)
    }

    package func recall(_ message: MessageID, in app: AppID, by actor: String) async throws -> RecallOutcome {
        try await passed().recall(message, in: app, by: actor)
    }

    package func message(_ message: MessageID, in app: AppID) async throws -> MessageReport? {
        try await passed().message(message, in: app)
    }

    package func messages(in app: AppID, before: ListPosition?, limit: Int) async throws -> [MessageReport] {
        try await passed().messages(in: app, before: before, limit: limit)
    }

    package func position(of message: MessageID, in app: AppID) async throws -> ListPosition? {
        try await passed().position(of: message, in: app)
    }

    package func record(_ fetches: [Fetch]) async throws { try await passed().record(fetches) }

    package func create(_ schedules: [Schedule], in app: AppID, as terms: SendTerms) async throws
        -> FirstAnswer?
    {
        try await passed().create(schedules, in: app, as: terms)
    }

    package func schedule(_ id: ScheduleID, in app: AppID) async throws -> Schedule? {
        try await passed().schedule(id, in: app)
    }

    package func schedules(in app: AppID, after: SchedulePosition?, limit: Int) async throws -> SchedulePage {
        try await passed().schedules(in: app, after: after, limit: limit)
    }

    package func scheduleCount(in app: AppID) async throws -> Int {
        try await passed().scheduleCount(in: app)
    }

    package func replace(_ schedule: Schedule, in app: AppID, by actor: String) async throws -> Bool {
        try await passed().replace(schedule, in: app, by: actor)
    }

    package func delete(_ id: ScheduleID, in app: AppID, by actor: String) async throws -> Bool {
        try await passed().delete(id, in: app, by: actor)
    }

    package func ping() async throws { try await passed().ping() }
}
