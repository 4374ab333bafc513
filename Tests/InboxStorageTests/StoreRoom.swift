import EventLoop
import Foundation
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport
import Testing

/// A store on a loop of its own, as a server process has it, with two tenants to play in.
actor StoreRoom {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let store: PostgresStore
    private let pipelines: PostgresStore.Pipelines
    private let admin: AdminConnection
    /// What the store says of its changes.
    let audit: ChangeAudit

    private init(loop: EventLoop, url: String, limits: Limits, audit: ChangeAudit?) throws {
        self.loop = loop
        let configuration = try ConnectionConfiguration(url)
        func pipeline(_ role: String, _ mode: Pipeline.Mode) -> Pipeline {
            Pipeline(loop: loop, configuration: configuration.role(role), mode: mode)
        }
        pipelines = PostgresStore.Pipelines(
            lookups: pipeline("martlet_lookup", .reads), reads: pipeline("martlet_app", .reads),
            writes: pipeline("martlet_app", .writes(lock: PostgresStore.lock)),
            sends: pipeline("martlet_app", .writes(lock: PostgresStore.lock)),
            walks: pipeline("martlet_app", .reads))
        let admin = try AdminConnection(url)
        let audit = try audit ?? ChangeAudit(admin)
        store = PostgresStore(pipelines, limits: limits, hints: audit.hints)
        (self.admin, self.audit) = (admin, audit)
    }

    /// Opens a store on a migrated database of its own, or on `url`, for as long as `body` runs.
    ///
    /// - Parameter audit: of another room on the same database.
    static func open(
        url: String? = nil, limits: Limits = Limits(), audit: ChangeAudit? = nil,
        _ body: @escaping @Sendable (isolated StoreRoom) async throws -> Void
    ) async throws {
        guard let url else {
            return try await withDatabase(.inbox) { try await open(url: $0, limits: limits, body) }
        }
        let loop = try EventLoop.start(name: "store")
        let made = Lock<Result<StoreRoom, any Error>?>(nil)
        await withCheckedContinuation { continuation in
            loop.execute {
                let room = Result { try StoreRoom(loop: loop, url: url, limits: limits, audit: audit) }
                made.withLock { $0 = room }
                continuation.resume()
            }
        }
        let room = try #require(made.withLock { $0 }).get()
        let result = await Task(executorPreference: loop) { try await room.run(body) }.result
        loop.stop()
        loop.join()
        try result.get()
    }

    private func run(_ body: @escaping @Sendable (isolated StoreRoom) async throws -> Void) async throws {
        let all = pipelines.all
        all.forEach { $0.start() }
        do {
            try await body(self)
        } catch {
            for pipeline in all { await pipeline.close() }
            throw error
        }
        for pipeline in all { await pipeline.close() }
        #expect(try untold() == [], "whoever watches these was not told of a change")
    }

    /// What the store changed without a word, as `app/inbox`.
    func untold() throws -> [String] { try audit.untold(admin) }

    /// What delivers in the background, over the store's connections.
    var fanOuts: PostgresFanOuts {
        PostgresFanOuts(
            lookups: pipelines.lookups, walks: pipelines.walks, chunks: pipelines.sends, hints: audit.hints)
    }

    // MARK: The stage

    /// Runs SQL as the owner of the schema.
    func script(_ text: String) throws { try admin.script(text) }

    func number(_ sql: SQL) throws -> Int64 { try admin.value(sql, as: Int64.self) }

    /// Makes an app and its credentials as a look-up finds them.
    func app(_ name: String, delivery: DeliveryMode = .devices, cap: Int = 250) async throws -> AppCredentials
    {
        let key = name.padding(toLength: 22, withPad: "-", startingAt: 0)
        try script(
            """
            INSERT INTO apps (app_key, name, delivery_mode, identity_mode, inbox_cap)
            VALUES ('\(key)', '\(name)', \(delivery.rawValue), 1, \(cap))
            """)
        let appKey = try #require(AppKey(text: key))
        return try #require(try await store.app(appKey))
    }

    /// The same app again, with the revisions that it has now.
    func again(_ app: AppCredentials) async throws -> AppCredentials {
        try #require(try await store.app(app.key))
    }

    /// Registers a channel and a user for it.
    func device(
        in app: AppCredentials, _ type: DeviceType = .ios, tags: [String] = []
    ) async throws -> Device {
        let channel = ChannelID(UUID())
        var registration = Registration(deviceType: type)
        registration.tags = tags
        #expect(try await store.register(channel, registration, in: app.app))
        let user = UserID(app: app.app, key: Int64.random(in: .min ... .max))
        try await store.createUser(
            user, passwordDigest: [UInt8](repeating: 7, count: 32), channel: channel, deviceType: type)
        return Device(channel: channel, user: user)
    }

    /// Registers a channel that no user has.
    func channel(in app: AppCredentials) async throws -> ChannelID {
        let channel = ChannelID(UUID())
        #expect(try await store.register(channel, Registration(deviceType: .ios), in: app.app))
        return channel
    }

    func addTags(
        _ tags: [String], to device: Device, group: String = Audience.deviceTagGroup, in app: AppCredentials
    ) async throws {
        var change = TagChange()
        change.add = [group: tags]
        _ = try await store.changeTags(change, ofChannels: [device.channel], in: app.app)
    }

    func attach(_ channel: ChannelID, to device: Device) async throws {
        try await store.attach(channel, to: device.user)
    }

    func createUser(in app: AppCredentials, for channel: ChannelID) async throws {
        try await store.createUser(
            UserID(app: app.app, key: 9), passwordDigest: [UInt8](repeating: 9, count: 32), channel: channel,
            deviceType: .ios)
    }

    func send(_ sends: [Send], in app: AppCredentials) async throws -> [SendOutcome] {
        try await store.send(sends, for: app)
    }

    /// Sends a message as of `milliseconds` since 1970.
    func sendDated(
        _ milliseconds: Int64, to device: Device, in app: AppCredentials
    ) async throws -> SendOutcome {
        try setClock("to_timestamp(\(milliseconds) / 1000.0)")
        let outcome = try await send(to: .channel(device), in: app)
        try setClock("statement_timestamp()")
        return outcome
    }

    /// Makes the database's time what the expression says, for every process.
    func setClock(_ expression: String) throws {
        try script(
            """
            CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz
            LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT \(expression) $$
            """)
    }

    @discardableResult
    func send(
        _ title: String = "Hello", to audience: Audience, in app: AppCredentials, expiry: Expiry = .longest,
        types: DeviceTypes = .all
    ) async throws -> SendOutcome {
        try await store.send([draft(title, to: audience, expiry: expiry, types: types)], for: app)[0]
    }

    func draft(
        _ title: String = "Hello", to audience: Audience, expiry: Expiry = .longest, types: DeviceTypes = .all
    ) -> Send {
        Send(
            message: MessageID(pushID: UUID()),
            draft: Draft(title: title, body: Array("<p>Hi</p>".utf8), extra: ["a": "1"], expiry: expiry),
            audience: audience, deviceTypes: types, pushJSON: "{}")
    }

    /// A look-up that may overlap with others.
    func credential(of user: UserID) async throws -> Credential? { try await store.credential(of: user) }

    func log(of app: AppCredentials) async throws -> [LogEntry] {
        try await store.log(of: app.app, after: Revision(rawValue: 0)).entries
    }

    func reader(_ device: Device) async throws -> Reader {
        try #require(try await store.credential(of: device.user)).reader
    }

    func snapshot(_ device: Device) async throws -> ListSnapshot {
        let reader = try await reader(device)
        return try #require(try await store.list(for: reader))
    }

    /// Ids of the deliveries that the device's view has, without broadcasts.
    func ids(_ device: Device) async throws -> [MessageID] {
        try await snapshot(device).deliveries.map(\.message)
    }

    func mark(
        _ messages: [MessageID], broadcasts: [MessageID] = [], by device: Device, as mark: Mark,
        upTo point: ViewState? = nil
    ) async throws {
        let reader = try await reader(device)
        try await store.mark(messages, broadcasts: broadcasts, of: reader, as: mark, upTo: point)
    }

    /// Stores a list's validator; the date that the list may show.
    func save(
        _ state: [UInt8], of device: Device, expiry: Instant? = nil, received: Int64? = nil
    ) async throws -> Int64 {
        try #require(try await store.saveValidator((state, expiry), of: device.user, received: received))
    }

    func login(_ device: Device, _ name: String?, in app: AppCredentials) async throws {
        guard let name else {
            #expect(try await store.logOut(device.channel, .always, in: app.app) != nil)
            return
        }
        let outcome = try await store.logIn(device.channel, as: try NamedUserID(name), with: nil, in: app.app)
        guard case .done = outcome else {
            Issue.record("the log-in ended with \(outcome)")
            return
        }
    }
}

/// A channel and its user.
struct Device: Sendable {
    let channel: ChannelID
    let user: UserID
}

extension Audience {
    static func channel(_ devices: Device...) -> Audience { .channels(devices.map(\.channel), type: nil) }

    static func person(_ names: String...) -> Audience {
        .namedUsers(names.map { NamedUserID(stored: $0) })
    }
}

extension PostgresStore {
    /// Sends without a key; what became of each.
    func send(_ sends: [Send], for app: AppCredentials) async throws -> [SendOutcome] {
        switch try await send(sends, for: app, as: SendTerms(actor: "master")) {
        case .sent(let outcomes): return outcomes
        case .repeated: preconditionFailure("without a key nothing is repeated")
        }
    }
}
