import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Connections that break, with databases of the shared server.
struct LostConnectionTests {
    @Test func `a read whose connection is ended is answered by the next one`() async throws {
        try await withPipeline(.reads) { pipeline, other in
            async let slow: Int32 = pipeline.value("SELECT 7 FROM pg_sleep(0.3)")
            try await other.untilOthersRun("pg_sleep", on: pipeline.loop)
            try other.terminateOthers()
            let value = try await slow
            #expect(value == 7)
        }
    }

    @Test func `an idle connection that is ended is replaced`() async throws {
        try await withPipeline(.reads) { pipeline, other in
            _ = try await pipeline.result(of: "SELECT 1")
            for number in Int32(1)...3 {
                try other.terminateOthers()
                let value: Int32 = try await pipeline.value("SELECT \(number)")
                #expect(value == number)
            }
        }
    }

    @Test func `a write that the server ended before its commit is done by the next connection, once`()
        async throws
    {
        try await withPipeline(.counterWrites) { pipeline, other in
            async let slow = pipeline.write(
                Write(["UPDATE counters SET n = n + 1 WHERE id = 1", "SELECT FROM pg_sleep(0.3)"]))
            try await other.untilOthersRun("pg_sleep", on: pipeline.loop)
            async let behind = pipeline.write(.add(1, to: 2))
            try await pipeline.loop.sleep(for: .milliseconds(10))
            try other.terminateOthers()
            _ = try await (slow, behind)
            let counts = try [other.counter(1), other.counter(2)]
            #expect(counts == [1, 1])
        }
    }

    @Test func `after a lost connection prepared statements and scope are made anew`() async throws {
        try await withPipeline(.reads) { pipeline, other in
            let scope = Scope(setting: "martlet.app_id", value: "7")
            let current: @Sendable () async throws -> String = {
                try await pipeline.value("SELECT current_setting('martlet.app_id')", scope: scope)
            }
            let before = try await current()
            try other.terminateOthers()
            let after = try await current()
            #expect([before, after] == ["7", "7"])
        }
    }

    @Test func `what is never connected is unavailable after the wait`() async throws {
        var limits = PipelineLimits.reads
        limits.waitWithin = .milliseconds(150)
        let nowhere = try ConnectionConfiguration("host=/nowhere")
        try await withPipeline(.reads, to: nowhere, limits: limits) { pipeline in
            let told = Lock<[PostgresError.Kind]>([])
            pipeline.onEvent = { event in
                if case .disconnected(let error) = event { told.withLock { $0.append(error.kind) } }
            }
            let error = await failure { _ = try await pipeline.result(of: "SELECT 1") }
            #expect(error?.kind == .unavailable)
            #expect(!pipeline.isReady)
        }
    }

    @Test func `a role that may not be taken is told, and what waits is unavailable`() async throws {
        var limits = PipelineLimits.reads
        limits.waitWithin = .milliseconds(150)
        var configuration = try ConnectionConfiguration(await sharedDatabase())
        configuration.role = "no_such_role"
        let events = Lock<[PostgresError]>([])
        try await withLoop { [configuration, limits] loop in
            let pipeline = Pipeline(loop: loop, configuration: configuration, mode: .reads, limits: limits)
            pipeline.onEvent = { event in
                if case .disconnected(let error) = event { events.withLock { $0.append(error) } }
            }
            pipeline.start()
            let error = await failure { _ = try await pipeline.result(of: "SELECT 1") }
            #expect(error?.kind == .unavailable)
            #expect(error?.message.contains("no_such_role") == true)
            await pipeline.close()
        }
        #expect(events.withLock { $0.map(\.kind) } == [.refused])  // told once, however often it was tried
    }

    @Test func `a server that falls silent is given up`() async throws {
        var limits = PipelineLimits.reads
        limits.silentWithin = .milliseconds(300)
        try await withPipeline(.reads, limits: limits) { pipeline, _ in
            let backend: Int32 = try await pipeline.value("SELECT pg_backend_pid()")
            kill(backend, SIGSTOP)
            let next: Int32 = try await pipeline.value("SELECT pg_backend_pid()")
            kill(backend, SIGCONT)
            #expect(next != backend)
        }
    }

    @Test func `closing answers what was asked before and refuses what comes after`() async throws {
        try await withDatabase(counters) { url in
            let configuration = try ConnectionConfiguration(url)
            try await withLoop { loop in
                let pipeline = Pipeline(loop: loop, configuration: configuration, mode: .counterWrites)
                pipeline.start()
                _ = try await pipeline.write(.add(1, to: 1))
                async let last = pipeline.write(
                    Write(["SELECT FROM pg_sleep(0.1)", "UPDATE counters SET n = 7 WHERE id = 2"]))
                try await loop.sleep(for: .milliseconds(20))
                await pipeline.close()
                _ = try await last
                let late = await failure { _ = try await pipeline.write(.add(1, to: 1)) }
                #expect(late?.kind == .unavailable)
            }
            let written = try AdminConnection(url).counter(2)
            #expect(written == 7)
        }
    }
}

/// A server that crashes and comes back: one of the test's own.
struct OutageTests {
    @Test func `a crash leaves the outcome of sent writes unknown, and all else goes on`() async throws {
        let server = try await onItsThread { try TestCluster() }
        defer { server.stop() }
        let other = try AdminConnection(server.connectionString)
        try other.script(
            "CREATE TABLE counters (id bigint PRIMARY KEY, n integer); INSERT INTO counters VALUES (1, 0)")
        let configuration = try ConnectionConfiguration(server.connectionString)
        var patient = PipelineLimits.writes
        patient.waitWithin = .seconds(60)  // starting a server takes a while on a busy machine
        try await withPipeline(.counterWrites, to: configuration, limits: patient) { [patient] pipeline in
            let reads = Pipeline(
                loop: pipeline.loop, configuration: configuration, mode: .reads, limits: patient)
            reads.start()
            async let sent = failure {
                _ = try await pipeline.write(
                    Write(["UPDATE counters SET n = 100 WHERE id = 1", "SELECT FROM pg_sleep(9)"]))
            }
            async let read: Int32 = reads.value("SELECT 7 FROM pg_sleep(0.2)")
            try await AdminConnection(server.connectionString)
                .untilOthersRun("pg_sleep(9)", on: pipeline.loop)
            try await onItsThread { server.crash() }
            let unknown = await sent
            #expect(unknown?.kind == .outcomeUnknown)
            async let queued = pipeline.write(Write(["UPDATE counters SET n = n + 1 WHERE id = 1"]))
            try await pipeline.loop.sleep(for: .milliseconds(50))
            try await onItsThread { try server.start() }
            _ = try await queued
            let value = try await read
            #expect(value == 7)
            await reads.close()
        }
        let count = try AdminConnection(server.connectionString).counter(1)
        #expect(count == 1)  // not 101: never repeated
    }
}
