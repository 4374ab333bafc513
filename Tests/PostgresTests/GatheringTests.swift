import EventLoop
import Platform
import Postgres
import TestSupport
import Testing

@Suite struct GatheringTests {
    @Test func `each key gets its own value, and one without a row gets none`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let squares = Squares(on: pipeline, .init(most: 4, atOnce: 1))
            async let two = squares.value(for: 2)
            async let none = squares.value(for: 0)
            async let six = squares.value(for: 6)
            let answers = try await [two, none, six]
            #expect(answers == [4, nil, 36])
        }
    }

    @Test func `what comes while a statement is on its way goes together, within the bounds and by scope`()
        async throws
    {
        try await withPipeline(.reads) { pipeline, _ in
            let squares = Squares(on: pipeline, .init(most: 3, atOnce: 1))
            _ = try await squares.value(for: 1)  // connected
            let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
                for key in Int64(1)...40 { group.addTask { try await squares.value(for: key) ?? 0 } }
                return try await group.reduce(0, +)
            }
            #expect(sum == (1...40).reduce(0) { $0 + $1 * $1 })
            let statements = squares.statements.withLock { $0 }.dropFirst()
            #expect(statements.allSatisfy { keys in keys.count <= 3 && Set(keys.map { $0 % 2 }).count == 1 })
            #expect(statements.count < 40 && statements.flatMap { $0 }.sorted() == Array(1...40))
        }
    }

    // The largest key is too large to square.
    @Test func `a statement that fails fails all its keys, and the next ones go on`() async throws {
        try await withPipeline(.reads) { pipeline, _ in
            let squares = Squares(on: pipeline, .init(most: 8, atOnce: 1))
            await #expect(throws: PostgresError.self) { try await squares.value(for: .max) }
            let three = try await squares.value(for: 3)
            #expect(three == 9)
        }
    }
}

/// Squares by look-up, even and odd keys apart; zero has none.
// Sendable, because everything but the lock is used on the pipeline's loop.
private final class Squares: @unchecked Sendable {
    let statements = Lock<[[Int64]]>([])
    private let gathering: Gathering<Int64, Int64>

    init(on pipeline: Pipeline, _ bounds: Gathering<Int64, Int64>.Bounds) {
        let statements = statements
        gathering = Gathering(
            on: pipeline, bounds, scopes: (of: { _ in nil }, areSame: { $0 % 2 == $1 % 2 }),
            statement: { keys in
                statements.withLock { $0.append(keys) }
                return
                    "SELECT i, k * k FROM unnest(\(keys)) WITH ORDINALITY t (k, i) WHERE k <> 0 ORDER BY i DESC"
            },
            decode: { (row, _) throws(PostgresError) in (Int(try row.next(Int64.self)) - 1, try row.next()) })
    }

    func value(for key: Int64) async throws -> Int64? { try await gathering.value(for: key) }
}
