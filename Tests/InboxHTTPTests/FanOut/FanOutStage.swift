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

/// A runner as an instance has it, which goes on only when a test says so.
struct Deliverer {
    private let runner: FanOutRunner
    private let pipelines: [Pipeline]

    /// - Parameters:
    ///   - url: where chunks go, such as a proxy.
    ///   - lockWithin: how long a chunk waits for a row; as long as a server's, unless said otherwise.
    init(
        _ stage: DeviceStage, terms: FanOutTerms, chunksTo url: String? = nil, lockWithin: Duration? = nil
    ) throws {
        func pipeline(
            _ role: String, _ mode: Pipeline.Mode, to url: String, _ atConnect: [SQL] = []
        ) throws -> Pipeline {
            var configuration = try ConnectionConfiguration(url).role(role)
            configuration.lockWithin = lockWithin
            let pipeline = Pipeline(
                loop: stage.shard.loop, configuration: configuration, mode: mode, atConnect: atConnect)
            pipeline.start()
            return pipeline
        }
        let lookups = try pipeline("martlet_lookup", .reads, to: stage.url)
        let chunks = try pipeline(
            "martlet_app", .writes(lock: PostgresStore.lock), to: url ?? stage.url,
            PostgresStore.chunkPlans)
        let walks = try pipeline("martlet_app", .reads, to: stage.url)
        pipelines = [lookups, walks, chunks]
        runner = FanOutRunner(
            on: stage.shard.loop, store: PostgresFanOuts(lookups: lookups, walks: walks, chunks: chunks),
            terms: terms)
    }

    /// Takes so many steps: each delivers a chunk, if there is one.
    func take(_ steps: Int = 1) async throws {
        for _ in 0..<steps { _ = try await runner.step() }
    }

    /// Goes on until it finds nothing to do, also after a chunk whose rows were not free.
    func finish() async throws {
        while try await runner.step() != .upTo(.zero) {}
    }

    func release() async throws { try await runner.release() }

    /// Is gone without a word, like a process that was killed.
    func close() async { for pipeline in pipelines { await pipeline.close() } }
}

extension DeviceStage {
    static let few: Limits = {
        var limits = Limits()
        limits.recipientsInRequest = 10
        return limits
    }()

    /// Runs `body` with a runner whose chunks have so many inboxes.
    func withDeliverer(
        chunk: Int, readAhead: Int = 50_000, chunksTo url: String? = nil,
        _ body: (Deliverer) async throws -> Void
    ) async throws {
        var terms = FanOutTerms(chunk: chunk)
        terms.readAhead = readAhead
        terms.lookEvery = .zero
        try await withDeliverer(Deliverer(self, terms: terms, chunksTo: url), body)
    }

    /// Runs `body` with a runner, and closes it.
    func withDeliverer(_ deliverer: Deliverer, _ body: (Deliverer) async throws -> Void) async throws {
        do {
            try await body(deliverer)
        } catch {
            await deliverer.close()
            throw error
        }
        await deliverer.close()
    }

    /// Makes devices of acme with a tag, by one statement; their inboxes follow each other.
    func crowd(_ count: Int, tag: String, group: String = Audience.deviceTagGroup) async throws {
        try await script(
            """
            WITH fresh AS (
                INSERT INTO inboxes (app_id, device_types, baseline)
                SELECT app_id, 1, 0 FROM apps, generate_series(1, \(count)) WHERE name = 'acme'
                RETURNING app_id, inbox_id
            ), made AS (
                INSERT INTO channels (app_id, channel_id, inbox_id, device_type)
                SELECT app_id, gen_random_uuid(), inbox_id, 1 FROM fresh
                RETURNING app_id, inbox_id
            )
            INSERT INTO inbox_tags (app_id, tag_group, tag, inbox_id)
            SELECT app_id, '\(group)', '\(tag)', inbox_id FROM made
            """)
    }

    /// A device with a tag of its own, whose inbox comes behind those of all before.
    func phone(tag: String? = nil) async throws -> Phone {
        let phone = try await Phone.register(self)
        if let tag { try await change(phone, tag: tag) }
        return phone
    }

    func change(_ phone: Phone, tag: String, isRemoved: Bool = false) async throws {
        try await script(
            isRemoved
                ? """
                DELETE FROM inbox_tags t USING channels c
                WHERE c.channel_id = '\(phone.channel)' AND t.inbox_id = c.inbox_id AND t.tag = '\(tag)'
                """
                : """
                INSERT INTO inbox_tags (app_id, tag_group, tag, inbox_id)
                SELECT app_id, 'device', '\(tag)', inbox_id FROM channels WHERE channel_id = '\(phone.channel)'
                """)
    }

    /// Logs a device in or out, as a backend does.
    func login(_ phone: Phone, _ person: String?) async throws {
        let call = person == nil ? "disassociate" : "associate"
        let name = person.map { #", "named_user_id": "\#($0)""# } ?? ""
        let answer = await self.call(
            .post, "/api/named_users/\(call)", App.basic(acme.key, acme.masterSecret),
            #"{"channel_id": "\#(phone.channel)"\#(name)}"#)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Sends a message and returns the answer.
    func send(to audience: String, in app: App? = nil) async throws -> JSON {
        let app = app ?? acme
        let body = #"{"audience": \#(audience), "message": {"title": "T", "body": "B"}}"#
        let answer = await call(.post, "/v1/messages", App.basic(app.key, app.masterSecret), body)
        try #require(answer.status == 202, "\(answer.text)")
        return try answer.json
    }

    /// Sends a message that must be on its way; its id.
    func sendAll(tag: String = "all") async throws -> String {
        let sent = try await send(to: #"{"tag": "\#(tag)"}"#)
        #expect(sent["state"]?.asText == "delivering")
        return try #require(sent["message_id"]?.asText)
    }

    /// A message as its backend sees it.
    func shown(_ message: String) async throws -> JSON {
        try await call(.get, "/v1/messages/\(message)", App.basic(acme.key, acme.masterSecret)).json
    }

    func number(_ sql: SQL) async throws -> Int {
        try await onDatabaseThread { [url] in Int(try AdminConnection(url).value(sql, as: Int64.self)) }
    }

    /// How many inboxes hold a message.
    func holders(_ message: String) async throws -> Int {
        try await number("SELECT count(*) FROM deliveries WHERE message_id = \(message)")
    }
}
