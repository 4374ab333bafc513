/// Turns requests into batches, with what one connection remembers: prepared statements and its scope.
struct BatchComposer {
    /// Makes the statement that locks the rows of these keys, which come ascending.
    private let lockStatement: (([Int64]) -> SQL)?
    var cache: StatementCache
    var scopes = ScopeTracker()

    init(lockStatement: (([Int64]) -> SQL)?, cachedStatements: Int) {
        self.lockStatement = lockStatement
        cache = StatementCache(capacity: cachedStatements)
    }

    /// The same without memories.
    func forNewConnection() -> BatchComposer {
        BatchComposer(lockStatement: lockStatement, cachedStatements: cache.capacity)
    }

    /// The steps of these requests: new statements first, then scope by scope its setting, locks and
    /// statements.
    ///
    /// Statements are prepared before any of them can fail, so that an error rarely takes the others' along.
    mutating func compose(_ requests: [PipelineRequest]) -> Batch {
        var batch = Batch(requests)
        var prepares: [Batch.Step] = []
        var steps: [Batch.Step] = []
        var scope = scopes.certain
        for group in Self.groups(of: requests) {
            if let wanted = requests[group[0]].write.scope, wanted != scope {
                let name = name(of: wanted.statement, request: group[0], &prepares)
                steps.append(.setting(name: name, wanted.statement))
                scope = wanted
                batch.changesScopeTo = wanted
            }
            if let locks = locks(of: group.map { requests[$0].write }) {
                steps.append(.setting(name: name(of: locks, request: group[0], &prepares), locks))
            }
            for number in group {
                for sql in requests[number].write.statements {
                    let name = name(of: sql, request: number, &prepares)
                    steps.append(.query(name: name, sql, request: number))
                }
            }
        }
        // Last, so that nothing of this batch is dropped before it has run.
        batch.steps = prepares + steps + cache.takeDropped().map { .deallocate(name: $0) }
        scopes.sent(changingTo: batch.changesScopeTo)
        return batch
    }

    /// The steps that make a new connection ready.
    mutating func composeSetup(_ statements: [SQL]) -> Batch {
        var batch = compose([PipelineRequest(Write(statements), deadline: .zero, answer: { _ in })])
        batch.isSetup = true
        return batch
    }

    private mutating func name(of sql: SQL, request: Int, _ prepares: inout [Batch.Step]) -> String {
        let entry = cache.entry(for: sql.key)
        if entry.isNew { prepares.append(.prepare(name: entry.name, sql, request: request)) }
        return entry.name
    }

    private func locks(of writes: [Write]) -> SQL? {
        let keys = Set(writes.flatMap(\.locks)).sorted()
        guard !keys.isEmpty, let lockStatement else { return nil }
        return lockStatement(keys)
    }

    /// Numbers of the requests, by scope in one order for all connections, then by the smallest lock.
    private static func groups(of requests: [PipelineRequest]) -> [[Int]] {
        guard requests.count > 1 else { return [[0]] }
        let groups = Dictionary(grouping: requests.indices) { requests[$0].write.scope }
        let order = groups.keys.sorted { left, right in
            guard let right else { return false }
            return left.map { $0 < right } ?? true
        }
        return order.map { scope in
            (groups[scope] ?? []).sorted { left, right in
                let keys = (requests[left].write.locks.min(), requests[right].write.locks.min())
                // As they came where nothing is locked; `sorted` alone does not promise that.
                return (keys.0 ?? .min, left) < (keys.1 ?? .min, right)
            }
        }
    }
}
