import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

struct ProxyTests {
    @Test func `a write whose commit was not heard of is reported so and never repeated`() async throws {
        try await withProxy(.counterWrites) { pipeline, proxy, other in
            _ = try await pipeline.write(.add(1, to: 1))
            proxy.set(.cutNextAnswer)
            let error = await failure { _ = try await pipeline.write(.add(10, to: 1)) }
            #expect(error?.kind == .outcomeUnknown)
            _ = try await pipeline.write(.add(100, to: 1))
            let count = try other.counter(1)
            #expect(count == 111)  // it was done
        }
    }

    @Test func `a read whose answer was lost is asked again`() async throws {
        try await withProxy(.reads) { pipeline, proxy, _ in
            _ = try await pipeline.result(of: "SELECT 1")
            proxy.set(.cutNextAnswer)
            let value: Int32 = try await pipeline.value("SELECT 7")
            #expect(value == 7)
        }
    }

    @Test func `a transaction pooler in between is refused with a clear word`() async throws {
        try await withProxy(.reads) { pipeline, proxy, other in
            _ = try await pipeline.result(of: "SELECT 1")
            let told = Lock<[PostgresError]>([])
            pipeline.onEvent = { event in
                if case .disconnected(let error) = event { told.withLock { $0.append(error) } }
            }
            proxy.set(.otherProcess)
            try other.terminateOthers()
            let error = await failure { _ = try await pipeline.result(of: "SELECT 1") }
            #expect(error?.message.contains("pooler") == true)
            #expect(told.withLock { $0.last?.kind } == .refused)
            #expect(!pipeline.isReady)
        }
    }
}
