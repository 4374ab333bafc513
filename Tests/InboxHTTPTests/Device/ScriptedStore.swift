import InboxModel
import InboxService
import Platform

/// A store with one user and one app whose calls fail from the n-th on, for as long as a test says so.
final class ScriptedStore: InboxStore, @unchecked Sendable {
    // Sendable, because only the shard's loop calls it and what the test changes is behind the lock.
    private let faults = Lock<(from: Int, fault: StoreFault, calls: Int)>((.max, .outcomeUnknown, 0))
    private let credential: Credential
    private let app: AppCredentials

    init(_ credential: Credential, _ app: AppCredentials) {
        self.credential = credential
        self.app = app
    }

    /// Lets the call with number `count` and all after it fail; counting begins anew.
    func fail(from count: Int, with fault: StoreFault) { faults.withLock { $0 = (count, fault, 0) } }

    func step() throws {
        try faults.withLock { state in
            state.calls += 1
            if state.calls >= state.from { throw state.fault }
        }
    }

    var epoch: UInt64 {
        get async throws {
            try step()
            return 1
        }
    }

    func credential(of user: UserID) async throws -> Credential? {
        try step()
        return user == credential.reader.user ? credential : nil
    }

    func credentials(of users: [UserID]) async throws -> [Credential?] {
        try step()
        return users.map { $0 == credential.reader.user ? credential : nil }
    }

    func changed(_ inboxes: [KnownInbox]) async throws -> [Int] {
        try step()
        return []
    }

    func changed(_ apps: [KnownApp]) async throws -> [AppID] {
        try step()
        return []
    }

    func pace(of app: AppID) async throws -> AppPace? {
        try step()
        return nil
    }

    func exists(_ inbox: InboxID, in app: AppID) async throws -> Bool {
        try step()
        return true
    }

    func app(_ key: AppKey) async throws -> AppCredentials? {
        try step()
        return key == app.key ? app : nil
    }

    func app(_ id: AppID) async throws -> AppCredentials? {
        try step()
        return id == app.app ? app : nil
    }

    func backendToken(_ digest: [UInt8]) async throws -> BackendToken? {
        try step()
        return nil
    }

    func list(for reader: Reader) async throws -> ListSnapshot? {
        try step()
        return ListSnapshot(reader: reader, deliveries: [], ofDevice: 0, marks: [])
    }

    func log(of app: AppID, after revision: Revision) async throws -> LogNews {
        try step()
        return LogNews([], reached: credential.reader.state.appRevision)
    }

    func heads(of messages: [MessageID], in app: AppID) async throws -> [MessageHead] {
        try step()
        return []
    }

    func body(of message: MessageID, in app: AppID) async throws -> MessageBody? {
        try step()
        return nil
    }

    func holding(of message: MessageID, by reader: Reader) async throws -> Holding? {
        try step()
        return Holding(
            reader: reader, delivered: (device: false, person: false), isDeletedBroadcast: false,
            isLive: false)
    }

    func saveValidator(
        _ validator: (state: [UInt8], soonestExpiry: Instant?), of user: UserID, received: Int64?
    ) async throws -> Int64? {
        try step()
        return 1_900_000_000
    }

    func changes(for reader: Reader, since point: ViewPoint) async throws -> ChangeSnapshot? {
        try step()
        return ChangeSnapshot(
            list: ListSnapshot(reader: reader, deliveries: [], ofDevice: 0, marks: []), touched: [])
    }

    func messages(
        among messages: [MessageID], withExtra extra: [String: String], in app: AppID
    ) async throws -> [MessageID] {
        try step()
        return messages
    }

    func mark(
        _ messages: [MessageID], broadcasts: [MessageID], of reader: Reader, as mark: Mark,
        upTo point: ViewState?
    ) async throws {
        try step()
    }

    func register(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws -> Bool {
        try step()
        return true
    }

    func update(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws -> Bool {
        try step()
        return true
    }

    func createUser(
        _ user: UserID, passwordDigest: [UInt8], channel: ChannelID?, deviceType: DeviceType
    ) async throws { try step() }

    func attach(_ channel: ChannelID, to user: UserID) async throws { try step() }

    func logIn(
        _ channel: ChannelID, as person: NamedUserID, with proof: VerifiedProof?, in app: AppID
    ) async throws -> LogInOutcome {
        try step()
        return .done(Association(contact: "c", namedUser: person, since: Instant(seconds: 1)))
    }

    func logOut(_ channel: ChannelID, _ condition: LogOut, in app: AppID) async throws -> Association? {
        try step()
        return Association(contact: "c", namedUser: nil, since: Instant(seconds: 1))
    }

    func association(of channel: ChannelID, in app: AppID) async throws -> Association? {
        try step()
        return Association(contact: "c", namedUser: nil, since: Instant(seconds: 1))
    }

    func channel(_ channel: ChannelID, in app: AppID) async throws -> ChannelRecord? { try stepped() }

    func channel(of user: UserID) async throws -> ChannelID? {
        try step()
        return ChannelID(text: ScriptedStage.channel)
    }

    func user(of channel: ChannelID, in app: AppID) async throws -> UserID? { try stepped() }
    func uninstall(_ channel: ChannelID, of user: UserID) async throws -> Bool { try stepped() ?? false }

    func register(
        _ channel: ChannelID, _ registration: Registration, for user: UserID, passwordDigest: [UInt8]
    ) async throws -> Bool {
        try step()
        return true
    }

    func openSession(_ session: NewSession, by actor: String) async throws -> Instant {
        try step()
        return Instant(seconds: 1)
    }

    func endSession(_ user: UserID, by actor: String) async throws -> Bool { try stepped() ?? false }

    func namedUser(_ person: NamedUserID, in app: AppID) async throws -> NamedUserRecord? { try stepped() }

    func namedUsers(in app: AppID, after: NamedUserID?, limit: Int) async throws -> [NamedUserRecord] {
        try stepped() ?? []
    }

    func changeTags(
        _ change: TagChange, ofChannels channels: [ChannelID], in app: AppID
    ) async throws -> [ChannelID] { try stepped() ?? [] }

    func changeTags(
        _ change: TagChange, ofPeople people: [NamedUserID], in app: AppID
    ) async throws -> [NamedUserID] { try stepped() ?? [] }

    func send(
        _ sends: [Send], for app: AppCredentials, as terms: SendTerms
    ) async throws -> SendResult { .sent(try stepped() ?? []) }

    func firstAnswer(to request: RepeatableRequest, in app: AppID) async throws -> FirstAnswer? {
        try stepped()
    }

    func reach(
        _ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials
    ) async throws -> (recipients: Int, unknown: [String]) {
        try step()
        return (0, [])
    }

    func recall(_ message: MessageID, in app: AppID, by actor: String) async throws -> RecallOutcome {
        try stepped() ?? .unknown
    }

    func message(_ message: MessageID, in app: AppID) async throws -> MessageReport? { try stepped() }

    func messages(in app: AppID, before: ListPosition?, limit: Int) async throws -> [MessageReport] {
        try stepped() ?? []
    }

    func position(of message: MessageID, in app: AppID) async throws -> ListPosition? { try stepped() }
    func record(_ fetches: [Fetch]) async throws { try step() }

    func create(_ schedules: [Schedule], in app: AppID, as terms: SendTerms) async throws -> FirstAnswer? {
        try stepped()
    }

    func schedule(_ id: ScheduleID, in app: AppID) async throws -> Schedule? { try stepped() }

    func schedules(in app: AppID, after: SchedulePosition?, limit: Int) async throws -> SchedulePage {
        try stepped() ?? SchedulePage(schedules: [], hasMore: false)
    }

    func scheduleCount(in app: AppID) async throws -> Int { try stepped() ?? 0 }
    func replace(_ schedule: Schedule, in app: AppID, by actor: String) async throws -> Bool {
        try stepped() ?? false
    }

    func delete(_ id: ScheduleID, in app: AppID, by actor: String) async throws -> Bool {
        try stepped() ?? false
    }

    func ping() async throws { try step() }

    private func stepped<Value>() throws -> Value? {
        try step()
        return nil
    }
}
