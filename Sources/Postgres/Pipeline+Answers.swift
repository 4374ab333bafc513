import EventLoop

// What becomes of a batch: each result in its turn, then the sync, or the loss of the connection.
extension Pipeline {
    /// Runs that a request has after errors that may pass: lock time-out, deadlock, serialization, a row missed.
    private static var repeatLimit: Int { 3 }
    /// Runs that a request has after a lost connection or a forgotten prepared statement.
    private static var mishapLimit: Int { 1 }

    func take(_ result: QueryResult) {
        guard let step = nextStep() else { return }
        guard case .query(_, _, let number) = step else { return }
        let request = inFlight[0].requests[number]
        request.results.append(result)
        // Reads have no commit to wait for.
        if isReadOnly, !inFlight[0].isSetup { answer(request) }
    }

    func takeFailure(_ error: PostgresError) {
        // Without a SQLSTATE it is libpq that speaks: the connection broke.
        if error.endsConnection || error.sqlState.isEmpty { return lose(error) }
        let number: Int?
        switch nextStep() {
        case nil:
            number = nil  // in the place of the sync: the commit itself failed
        case .prepare(let name, let sql, let request):
            composer.cache.forget(sql.key, name: name)
            number = request
        case .query(let name, let sql, let request):
            if error.isStalePlan { composer.cache.forget(sql.key, name: name) }
            number = request
        case .setting(let name, let sql):
            if error.isStalePlan { composer.cache.forget(sql.key, name: name) }
            number = nil
        case .deallocate:
            number = nil  // it did not exist: as good as dropped
        }
        if !inFlight.isEmpty { inFlight[0].failure = Batch.Failure(error: error, request: number) }
    }

    func takeAborted() {
        switch nextStep() {
        case .prepare(let name, let sql, _): composer.cache.forget(sql.key, name: name)
        case .deallocate(let name): composer.cache.dropLater(name)
        case .setting, .query, nil: break
        }
    }

    func takeSync() {
        let batch = inFlight.removeFirst()
        composer.scopes.settled(changingTo: batch.changesScopeTo, isCommitted: batch.failure == nil)
        if batch.isSetup {
            if let failure = batch.failure { return lose(failure.error.settingUp(configuration)) }
            return becomeReady(batch.requests[0].results)
        }
        if let failure = batch.failure {
            settle(batch, failure)
        } else {
            for request in batch.requests where !request.isAnswered { answer(request) }
        }
        // A failover has made the server a standby: connect anew, so that libpq picks the primary.
        if !isReadOnly, let error = batch.failure?.error, error.sqlState == "25006" { lose(error) }
        closeIfDone()
    }

    /// Settles what was in flight when the connection broke.
    func settleLost(_ error: PostgresError) {
        let batches = inFlight
        inFlight = []
        for (number, batch) in batches.enumerated() where !batch.isSetup {
            // The server's own word in the place of a statement's result means that it did not get as far as
            // the sync, so nothing was committed, and nothing of the batches behind it was begun.
            let isUndone = error.endsConnection && (number > 0 || !batch.awaitsSync)
            for request in batch.requests where !request.isAnswered {
                request.results = []
                settleLost(request, isUndone: isReadOnly || isUndone, error)
            }
        }
    }

    // MARK: Private parts

    /// The step that a result belongs to; nil in the place of the sync.
    private func nextStep() -> Batch.Step? {
        guard !inFlight.isEmpty, !inFlight[0].awaitsSync else { return nil }
        defer { inFlight[0].position += 1 }
        return inFlight[0].steps[inFlight[0].position]
    }

    private func answer(_ request: PipelineRequest) {
        request.finish(.success(request.results))
    }

    private func settle(_ batch: Batch, _ failure: Batch.Failure) {
        for (number, request) in batch.requests.enumerated() where !request.isAnswered {
            request.results = []
            let isOwn = batch.requests.count == 1 || (isReadOnly && failure.request == number)
            if isOwn, failure.error.kind == .lockTimeout {
                queue.holdUp(request.write.scope, at: loop.uptime)
            }
            if !isOwn {
                queue.addAlone(request)
            } else if failure.error.isStalePlan, request.mishaps < Self.mishapLimit {
                request.mishaps += 1
                queue.addAlone(request)
            } else if canRepeat(request, failure.error) {
                repeatLater(request)
            } else {
                request.finish(.failure(failure.error))
            }
        }
    }

    private func canRepeat(_ request: PipelineRequest, _ error: PostgresError) -> Bool {
        guard error.kind == .lockTimeout || error.kind == .conflict || error.isMissedRow else { return false }
        return request.write.canRepeat && request.repeats < Self.repeatLimit
    }

    /// Repeats after a short pause of random length, so that two that met do not meet again.
    private func repeatLater(_ request: PipelineRequest) {
        request.repeats += 1
        loop.timer(after: .milliseconds(Int.random(in: 1...20 * request.repeats, using: &random))) { [self] in
            queue.addAlone(request)
        }
    }

    private func settleLost(_ request: PipelineRequest, isUndone: Bool, _ error: PostgresError) {
        guard isUndone else {
            return request.finish(
                .failure(PostgresError(.outcomeUnknown, "the connection broke before the commit was known")))
        }
        guard request.mishaps < Self.mishapLimit else {
            return request.finish(.failure(PostgresError(.unavailable, error.message)))
        }
        request.mishaps += 1
        queue.addAlone(request)
    }
}

extension PostgresError {
    /// Whether the server has lost a prepared statement or may not use it any more: prepared again, it runs.
    ///
    /// 26000 is an unknown name. 0A000 is many things, and this one if it comes from the plan cache: "cached
    /// plan must not change result type", after a migration.
    fileprivate var isStalePlan: Bool {
        sqlState == "26000" || (sqlState == "0A000" && function == "RevalidateCachedQuery")
    }
}
