import Crypto
import Dispatch
import EventLoop
import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import InboxWire
import Platform
import Postgres
import TestSupport
import Testing

/// A shard over a database of its own with two tenants, and a second door to the same data.
struct ServerStage: Sendable {
    let acme: Tenant
    let globex: Tenant
    let key: SecretKey
    private let url: String
    private let shard: Shard
    private let backdoor: Backdoor

    /// An app with the secrets that are its only ones.
    struct Tenant: Sendable {
        let key: String
        let appSecret: String
        let masterSecret: String

        var master: String { basic(masterSecret) }
        var device: String { basic(appSecret) }

        func basic(_ secret: String) -> String { "Basic " + Base64.encode(Array("\(key):\(secret)".utf8)) }
    }

    /// Opens a stage for as long as `body` runs.
    static func open(
        limits: Limits = Limits(), faults: FaultPlan = FaultPlan(),
        _ body: @escaping @Sendable (ServerStage) async throws -> Void
    ) async throws {
        try await withDatabase(.inbox) { url in
            let key = try #require(SecretKey(bytes: RandomBytes.bytes(32)))
            let tenants = try await onDatabaseThread {
                let register = AppRegister(try AdminConnection(url))
                return try ["acme", "globex"].map { try Tenant($0, in: register, under: key) }
            }
            try await withLoop { loop in
                let doors = try (StoreDoor(url, on: loop, limits), StoreDoor(url, on: loop, limits))
                var configuration = ShardConfiguration(key: key, version: "test")
                configuration.limits = limits
                configuration.log = { line in faults.logged(line) }
                let stage = ServerStage(
                    acme: tenants[0], globex: tenants[1], key: key, url: url,
                    shard: Shard(
                        loop: loop, store: FaultyStore(doors.0.store(), faults), configuration: configuration),
                    backdoor: Backdoor(loop: loop, store: doors.1.store()))
                let result = await Task(executorPreference: loop) { try await body(stage) }.result
                for door in [doors.0, doors.1] { await door.close() }
                try result.get()
            }
        }
    }

    // MARK: Calls

    /// The answer to a request of a backend; `body` is JSON.
    func call(
        _ method: HTTPCore.Method, _ target: String, as authorization: String?, _ body: String = "",
        headers: Headers = ["Accept": "application/vnd.urbanairship+json; version=3;"]
    ) async -> Answer {
        await call(method, target, as: authorization, bytes: Array(body.utf8), headers: headers)
    }

    func call(
        _ method: HTTPCore.Method, _ target: String, as authorization: String?, bytes: [UInt8],
        headers: Headers
    ) async -> Answer {
        var headers = headers
        headers.add("Host", "127.0.0.1:8080")
        if let authorization { headers.add("Authorization", authorization) }
        let request = Request(method, target, headers: headers, body: bytes)
        return Answer(response: await shard.answered(request))
    }

    /// What is stored, as text, by a query of the schema's owner.
    func stored(_ sql: SQL) async throws -> String {
        try await onDatabaseThread { [url] in try AdminConnection(url).value(sql, as: String.self) }
    }

    /// A transaction that did this and stays open.
    func transaction(_ script: String) async throws -> OpenTransaction {
        try await OpenTransaction.begin(script, at: url)
    }

    // MARK: Devices

    /// Registers a channel with a user.
    func device(_ tenant: Tenant, _ type: DeviceType = .ios, tags: [String] = []) async throws -> TestDevice {
        try await backdoor.device(tenant.key, type, tags: tags)
    }

    /// What the device's list holds, without broadcasts.
    func deliveries(_ device: TestDevice) async throws -> [MessageID] {
        try await backdoor.deliveries(device)
    }

    /// How often the settings of the device's app were changed, as its validators say it.
    func settingsRevision(of device: TestDevice) async throws -> Int64 {
        try await backdoor.settingsRevision(of: device)
    }
}

/// A channel and its user.
struct TestDevice: Sendable {
    let channel: ChannelID
    let user: UserID
}

extension ServerStage.Tenant {
    fileprivate init(
        _ name: String, in register: AppRegister, under secretKey: SecretKey
    ) throws {
        let app = NewSecret.app(under: secretKey)
        let master = NewSecret.master()
        key = RandomBytes.token22()
        appSecret = app.text
        masterSecret = master.text
        let appKey = try #require(AppKey(text: key))
        try register.create(
            NewApp(name: name, key: appKey, delivery: .person, identity: .verified),
            secrets: [app.stored, master.stored])
    }
}

/// The store, reached beside the routes.
private actor Backdoor {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let store: PostgresStore

    init(loop: EventLoop, store: sending PostgresStore) {
        self.loop = loop
        self.store = store
    }

    func device(_ appKey: String, _ type: DeviceType, tags: [String]) async throws -> TestDevice {
        let key = try #require(AppKey(text: appKey))
        let app = try #require(try await store.app(key)).app
        let channel = ChannelID(UUID())
        var registration = Registration(deviceType: type)
        registration.tags = tags
        registration.isOptedIn = true
        #expect(try await store.register(channel, registration, in: app))
        let user = UserID(app: app, key: Int64.random(in: .min ... .max))
        try await store.createUser(
            user, passwordDigest: SHA256.digest("x"), channel: channel, deviceType: type)
        return TestDevice(channel: channel, user: user)
    }

    func settingsRevision(of device: TestDevice) async throws -> Int64 {
        try #require(try await store.credential(of: device.user)).reader.state.settingsRevision.rawValue
    }

    func deliveries(_ device: TestDevice) async throws -> [MessageID] {
        let reader = try #require(try await store.credential(of: device.user)).reader
        return try #require(try await store.list(for: reader)).deliveries.map(\.message)
    }
}

/// A response, read.
struct Answer: Sendable {
    let response: Response

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }

    /// The body; an answer that is no JSON fails the test.
    var json: JSON {
        do {
            return try JSON.parse(response.body)
        } catch {
            Issue.record("not JSON: \(text)")
            return .null
        }
    }

    /// What a refusal of the server API says of the place.
    var path: String? { json["details"]?["path"]?.text }
}

extension JSON {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var texts: [String] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap(\.text)
    }

    var integer: Int64? {
        guard case .number(let number) = self else { return nil }
        return number.int64
    }

    subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
