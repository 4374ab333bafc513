import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import TestSupport
import Testing

/// A database that becomes what it was, with two instances beside it; an installation at each.
struct Restored: Sendable {
    let stage: DeviceStage
    /// The first at one instance, the second at the other.
    let phones: [Phone]
    private let logged: Lock<[String]>

    /// Opens a stage for as long as `body` runs.
    static func open(
        pace: StreamPace = StreamPace(), _ body: @escaping @Sendable (Restored) async throws -> Void
    ) async throws {
        try await DeviceStage.open(pace: pace) { stage in
            let logged = Lock<[String]>([])
            var configuration = stage.configuration
            configuration.log = { line in logged.withLock { $0.append(line) } }
            let logging = DeviceStage(
                acme: stage.acme, globex: stage.globex, shard: stage.shard, backend: stage.backend,
                url: stage.url, configuration: configuration)
            let phones = [try await Phone.register(stage), try await Phone.register(stage)]
            try await logging.onAnotherInstance { one in
                try await logging.onAnotherInstance { other in
                    let phones = [phones[0].on(one), phones[1].on(other)]
                    try await body(Restored(stage: stage, phones: phones, logged: logged))
                }
            }
        }
    }

    /// What the instances logged.
    var lines: [String] { logged.withLock { $0 } }

    /// Dumps the data.
    func keep() async throws {
        try await stage.script(
            """
            DROP SCHEMA IF EXISTS kept CASCADE;
            CREATE SCHEMA kept;
            DO $$ DECLARE t text; BEGIN
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
                    EXECUTE format('CREATE TABLE kept.%I AS TABLE public.%I', t, t);
                END LOOP;
            END $$
            """)
    }

    /// Loads the kept data into the tables that went on existing, and ends all connections.
    ///
    /// - Parameter saying: whether the operator says that it is a new epoch.
    func restore(saying: Bool) async throws {
        try await stage.script(
            """
            SET session_replication_role = replica;
            DO $$ DECLARE t text; BEGIN
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
                    EXECUTE format('TRUNCATE public.%I CASCADE', t);
                END LOOP;
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
                    EXECUTE format('INSERT INTO public.%I OVERRIDING SYSTEM VALUE SELECT * FROM kept.%I', t, t);
                END LOOP;
            END $$
            """)
        if saying { try await beginEpoch() }
    }

    /// As `martlet doctor --new-epoch` does; returns when both instances have connected again.
    func beginEpoch() async throws {
        let ended = try await onDatabaseThread { [url = stage.url] in
            try Installation(AdminConnection(url)).beginEpoch()
        }
        #expect(ended >= 10)
        for phone in phones {
            let message = MessageID(pushID: UUID()).text
            // A read and a write: a connection that was lost meanwhile answers them with 503.
            try await answers(404) { await phone.v1(.get, "/inbox/messages/\(message)") }
            try await answers(200) { await phone.v1(.post, "/inbox/read", #"{"ids":["\#(message)"]}"#) }
        }
    }

    /// Calls until the answer is not 503, and has the status then.
    private func answers(_ status: Int, _ call: () async -> Response) async throws {
        var answer = await call()
        while answer.status == 503 { answer = await call() }
        try #require(answer.status == status, "\(answer.text)")
    }

    /// Sends a message to everyone; its id.
    func broadcast(_ title: String, seconds: Int64 = 9000) async throws -> String {
        try await again {
            try await stage.backend.send(title, to: .everyone, in: stage.acme) {
                $0.draft.expiry = .after(seconds: seconds)
            }
        }
    }

    func recall(_ message: String) async throws {
        try await again { try await stage.backend.recall(message, in: stage.acme) }
    }

    /// Until the backend's connections are new ones; on those that were ended nothing can have been done.
    private func again<Success>(_ work: () async throws -> Success) async throws -> Success {
        for _ in 0..<1000 {
            do {
                return try await work()
            } catch StoreFault.unavailable, StoreFault.outcomeUnknown {
                continue
            }
        }
        return try await work()
    }
}

extension Phone {
    /// The messages of the list, which both APIs show alike.
    func bothLists() async throws -> [String] {
        let (list, inbox) = (try await list(), try await inbox())
        #expect(list.ids == inbox.ids)
        let changes = try await changes(since: inbox.cursor)
        #expect(changes.isEmpty)
        return list.ids
    }
}
