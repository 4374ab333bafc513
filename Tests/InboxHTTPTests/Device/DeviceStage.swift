import Crypto
import EventLoop
import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import InboxWire
import Postgres
import TestSupport
import Testing

/// A shard over a database of its own, seen from installed apps, with a second door to the same data.
struct DeviceStage: Sendable {
    /// Takes a device's word for who is logged in.
    let acme: App
    /// Does not.
    let globex: App
    let shard: Shard
    let backend: Backend
    /// Of the database.
    let url: String
    let configuration: ShardConfiguration

    /// An app as its installations and its backend know it.
    struct App: Sendable {
        let name: String
        let key: String
        let secret: String
        let masterSecret: String

        /// The old SDKs' credentials.
        var basic: String { Self.basic(key, secret) }

        static func basic(_ name: String, _ password: String) -> String {
            "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
        }
    }

    /// Opens a stage for as long as `body` runs.
    static func open(
        limits: Limits = Limits(), delivery: DeliveryMode = .devices, publicURL: String? = nil,
        pace: StreamPace = StreamPace(),
        _ body: @escaping @Sendable (DeviceStage) async throws -> Void
    ) async throws {
        try await withDatabase(.inbox) { url in
            let (key, _) = SecretKey.generate()
            let apps = try await onDatabaseThread {
                let register = AppRegister(try AdminConnection(url))
                return [
                    try App("acme", delivery, .trusted, in: register, under: key),
                    try App("globex", delivery, .verified, in: register, under: key),
                ]
            }
            try await withLoop { loop in
                var configuration = ShardConfiguration(key: key, version: "test")
                configuration.limits = limits
                configuration.publicURL = publicURL
                configuration.streams = pace
                let hints = configuration.hints
                let doors = try (
                    StoreDoor(url, on: loop, limits, hints), StoreDoor(url, on: loop, limits, hints)
                )
                let stage = DeviceStage(
                    acme: apps[0], globex: apps[1],
                    shard: Shard(loop: loop, store: doors.0.store(), configuration: configuration),
                    backend: Backend(loop: loop, store: doors.1.store()), url: url,
                    configuration: configuration)
                let result = await Task(executorPreference: loop) { try await body(stage) }.result
                for door in [doors.0, doors.1] { await door.close() }
                try result.get()
            }
        }
    }

    /// The same stage behind another instance, which starts now.
    ///
    /// - Parameter sends: where the instance sends instead, such as a proxy.
    func onAnotherInstance(
        sendingTo sends: String? = nil, _ body: (DeviceStage) async throws -> Void
    ) async throws {
        var configuration = configuration
        (configuration.hints, configuration.streamCounts) = (Hints(), StreamCounts())
        let door = try StoreDoor(
            url, on: shard.loop, configuration.limits, configuration.hints, sendsTo: sends)
        let other = Shard(loop: shard.loop, store: door.store(), configuration: configuration)
        do {
            try await body(
                DeviceStage(
                    acme: acme, globex: globex, shard: other, backend: backend, url: url,
                    configuration: configuration))
        } catch {
            await door.close()
            throw error
        }
        await door.close()
    }

    /// The answer to a request; `Host` is added.
    func call(
        _ method: HTTPCore.Method, _ target: String, _ authorization: String? = nil, _ body: String = "",
        headers: Headers = [:]
    ) async -> Response {
        var headers = headers
        if headers["host"] == nil { headers.add("Host", "127.0.0.1:8080") }
        if let authorization { headers.add("Authorization", authorization) }
        return await shard.answered(Request(method, target, headers: headers, body: Array(body.utf8)))
    }

    /// Runs SQL as the owner of the schema.
    func script(_ text: String) async throws {
        try await onDatabaseThread { [url] in try AdminConnection(url).script(text) }
    }

    /// Makes the database's time the one given, in seconds since 1970, until it is set again.
    func stopClock(at seconds: Int) async throws {
        try await script(
            """
            CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
            AS $$ SELECT to_timestamp(\(seconds)) $$
            """)
    }

    /// Sets the database's clock forward.
    func advance(seconds: Int) async throws {
        try await script(
            """
            CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
            AS $$ SELECT statement_timestamp() + interval '\(seconds) seconds' $$
            """)
    }
}

extension Shard {
    /// The answer to a request, waited for.
    nonisolated func answered(_ request: Request) async -> Response {
        await withCheckedContinuation { continuation in
            loop.execute { self.answer(request) { continuation.resume(returning: $0) } }
        }
    }
}

extension DeviceStage.App {
    fileprivate init(
        _ name: String, _ delivery: DeliveryMode, _ identity: IdentityMode, in register: AppRegister,
        under secretKey: SecretKey
    ) throws {
        let app = NewSecret.app(under: secretKey)
        let master = NewSecret.master()
        let appKey = try #require(AppKey(text: RandomBytes.token22()))
        (self.name, key, secret, masterSecret) = (name, appKey.text, app.text, master.text)
        try register.create(
            NewApp(name: name, key: appKey, delivery: delivery, identity: identity),
            secrets: [app.stored, master.stored])
    }
}

/// What a backend does meanwhile, by the store and not by routes.
actor Backend {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let store: PostgresStore

    init(loop: EventLoop, store: sending PostgresStore) {
        self.loop = loop
        self.store = store
    }

    /// Sends a message; its id.
    @discardableResult
    func send(
        _ title: String = "Hello", to audience: Audience, in app: DeviceStage.App, body: String = "<p>Hi</p>",
        change: @Sendable (inout Send) -> Void = { _ in }
    ) async throws -> String {
        let message = MessageID(pushID: UUID())
        var send = Send(
            message: message, draft: Draft(title: title, body: Array(body.utf8)), audience: audience,
            deviceTypes: .all, pushJSON: "{}")
        change(&send)
        return try await store.send([send], for: try await credentials(of: app))[0].message.text
    }

    /// Makes another channel the current one of a device's user.
    func attach(_ channel: String, to phone: Phone) async throws {
        let channel = try #require(ChannelID(text: channel))
        try await store.attach(channel, to: try #require(UserID(text: Array(phone.user.utf8)[...])))
    }

    func recall(_ message: String, in app: DeviceStage.App) async throws {
        let id = try #require(MessageID(wire: message))
        #expect(try await store.recall(id, in: try await credentials(of: app).app, by: "master") == .recalled)
    }

    private func credentials(of app: DeviceStage.App) async throws -> AppCredentials {
        let key = try #require(AppKey(text: app.key))
        return try #require(try await store.app(key))
    }
}
