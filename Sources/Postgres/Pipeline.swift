package import EventLoop

/// A libpq connection in pipeline mode, confined to its loop: what comes in one pass is sent together at its
/// end, with one sync.
///
/// It connects again by itself. Requests wait meanwhile, within `PipelineLimits`. Answers come on the loop.
/// Until `close` the loop keeps it.
// Sendable, because everything but `init` checks that it runs on the loop's thread.
package final class Pipeline: @unchecked Sendable {
    /// What the statements of a pipeline may do.
    package enum Mode: Sendable {
        /// Statements that change nothing: after an error or a lost connection they are simply sent again,
        /// once.
        case reads
        /// Statements that change something: answered after the commit, never repeated if that is not known.
        /// `lock` makes the statement that locks the rows of the given keys, which come ascending.
        case writes(lock: @Sendable ([Int64]) -> SQL)
    }

    /// What an operator may want to read.
    package enum Event: Sendable {
        case connected
        /// The connection was lost or could not be made; goes on trying.
        case disconnected(PostgresError)
    }

    /// Called on the loop; repeated failures of one kind are told once.
    package var onEvent: ((Event) -> Void)?

    /// Called on the loop with channel and payload of what others notify, on channels that `atConnect` listens to.
    var onNotification: ((_ channel: String, _ payload: String) -> Void)?

    /// Counts the connections that were made; what was read from one may not hold for the next.
    package private(set) var connectionNumber = 0

    /// The loop that it belongs to.
    package let loop: EventLoop
    let limits: PipelineLimits
    private var gatherings: [() -> Void] = []
    /// What comes now is sent in this pass.
    private var isGathering = false
    let isReadOnly: Bool
    let configuration: ConnectionConfiguration
    private let atConnect: [SQL]
    var random = SystemRandomNumberGenerator()
    private var backoff = Backoff()
    private var state = State.new
    private var lastFailure: PostgresError?

    var composer: BatchComposer
    /// Requests that have not been sent.
    var queue = PipelineQueue()
    /// Batches that were sent, oldest first.
    var inFlight: [Batch] = []
    /// Requests that are unanswered, wherever they are.
    private(set) var unanswered = 0
    private var lastProgress = Duration.zero
    private var check: LoopTimer?
    private var closing: [CheckedContinuation<Void, Never>] = []

    private enum State {
        case new
        case connecting(Connection, timer: LoopTimer)
        case ready(Connection)
        case pausing(LoopTimer)
        case closed

        var isClosed: Bool {
            if case .closed = self { true } else { false }
        }
    }

    /// A pipeline that connects when it is started.
    ///
    /// On the loop's thread, or before the loop runs.
    /// - Parameter atConnect: run as the configuration's role on each new connection, before anything else.
    package init(
        loop: EventLoop, configuration: ConnectionConfiguration, mode: Mode, limits: PipelineLimits? = nil,
        atConnect: [SQL] = []
    ) {
        self.loop = loop
        var configuration = configuration
        configuration.lockWithin = configuration.lockWithin ?? Self.lockWithin
        self.configuration = configuration
        self.atConnect = atConnect
        let lock: (([Int64]) -> SQL)?
        switch mode {
        case .reads:
            (isReadOnly, lock) = (true, nil)
            self.limits = limits ?? .reads
        case .writes(let statement):
            (isReadOnly, lock) = (false, statement)
            self.limits = limits ?? .writes
        }
        composer = BatchComposer(lockStatement: lock, cachedStatements: self.limits.preparedStatements)
        loop.passEnds { [weak self] in self?.passEnded() }
    }

    deinit {
        switch state {
        case .new, .closed: break
        default: preconditionFailure("whoever starts a pipeline closes it")
        }
    }

    /// Begins to connect, and keeps connected until `close`.
    package func start() {
        loop.preconditionIsCurrent()
        guard case .new = state else { preconditionFailure("a pipeline is started once") }
        connect()
    }

    /// Answers what is unanswered, within the limits, then closes the connection; new requests are refused.
    package func close() async {
        loop.preconditionIsCurrent()
        await withCheckedContinuation { continuation in
            closing.append(continuation)
            if !isReady {
                refuseWaiting(PostgresError(.unavailable, "closing"), where: { _ in true })
            }
            closeIfDone()
        }
    }

    /// Whether statements can be sent right now.
    package var isReady: Bool {
        if case .ready = state { true } else { false }
    }

    // MARK: Requests

    func add(_ write: Write, _ answer: @escaping (Result<[QueryResult], PostgresError>) -> Void) {
        loop.preconditionIsCurrent()
        guard closing.isEmpty, !state.isClosed else {
            return answer(.failure(PostgresError(.unavailable, "closing")))
        }
        guard unanswered < limits.waiting else {
            return answer(.failure(PostgresError(.overloaded, "\(limits.waiting) requests are waiting")))
        }
        unanswered += 1
        let deadline = loop.uptime + limits.waitWithin
        // A pass follows even if this one has reached its end already.
        if queue.hasNoneWaiting, !isGathering { loop.execute {} }
        queue.add(
            PipelineRequest(write, deadline: deadline) { [self] result in
                unanswered -= 1
                answer(result)
            })
        startChecking()
    }

    /// Joins for life: `action` is called at the end of each pass, before what waits is sent.
    func beforeSending(_ action: @escaping () -> Void) { gatherings.append(action) }

    private func passEnded() {
        isGathering = true
        for action in gatherings { action() }
        isGathering = false
        guard case .ready(let connection) = state else { return }
        var isSending = false
        while inFlight.count < limits.inFlight, let batch = nextBatch() {
            if inFlight.isEmpty { lastProgress = loop.uptime }
            send(batch, on: connection)
            isSending = true
        }
        if isSending { connection.flush() }
    }

    private func nextBatch() -> Batch? {
        let requests = queue.next(most: limits.batch, at: loop.uptime)
        return requests.isEmpty ? nil : composer.compose(requests)
    }

    private func send(_ batch: Batch, on connection: Connection) {
        for step in batch.steps {
            switch step {
            case .prepare(let name, let sql, _): connection.prepare(name, sql)
            case .setting(let name, let sql), .query(let name, let sql, _): connection.execute(name, sql)
            case .deallocate(let name): connection.deallocate(name)
            }
        }
        connection.sync()
        inFlight.append(batch)
    }

    // MARK: The connection

    private func connect() {
        let connection = Connection(loop: loop) { [self] in receive($0) }
        let timer = loop.timer(after: configuration.connectWithin) { [self] in
            lose(PostgresError(.unavailable, "no connection within \(configuration.connectWithin)"))
        }
        state = .connecting(connection, timer: timer)
        composer = composer.forNewConnection()
        connection.open(configuration)
    }

    private func receive(_ event: Connection.Event) {
        lastProgress = loop.uptime
        switch event {
        case .opened: setUp()
        case .result(let result): take(result)
        case .failed(let error): takeFailure(error)
        case .aborted: takeAborted()
        case .synced: takeSync()
        case .notified(let channel, let payload): onNotification?(channel, payload)
        case .lost(let error): lose(error)
        }
    }

    private func setUp() {
        guard case .connecting(let connection, _) = state else { return }
        send(composer.composeSetup([configuration.settings, Self.backend] + atConnect), on: connection)
        connection.flush()
    }

    /// PostgreSQL's `lock_timeout`, unless the configuration says otherwise: a turn that waits for one row
    /// holds up all that is behind it.
    private static let lockWithin = Duration.milliseconds(200)

    private static let backend: SQL = "SELECT pg_catalog.pg_backend_pid()"

    /// The set-up has been committed.
    func becomeReady(_ results: [QueryResult]) {
        guard case .connecting(let connection, let timer) = state else { return }
        do throws(PostgresError) {
            // A transaction pooler makes its own process number up, and gives our settings to others.
            guard try results[1].value(Int32.self) == connection.backendPID else {
                throw PostgresError(
                    .refused, "a connection pooler stands before PostgreSQL: connect to PostgreSQL itself")
            }
        } catch {
            return lose(error)
        }
        timer.cancel()
        state = .ready(connection)
        connectionNumber += 1
        backoff.reset()
        lastFailure = nil
        onEvent?(.connected)
    }

    /// Gives the connection up and tries again after a pause.
    func lose(_ error: PostgresError) {
        switch state {
        case .connecting(let connection, let timer):
            timer.cancel()
            connection.close()
        case .ready(let connection):
            connection.close()
        case .new, .pausing, .closed:
            return
        }
        let pause = backoff.next(using: &random)
        state = .pausing(loop.timer(after: pause) { [self] in connect() })
        if lastFailure?.kind != error.kind { onEvent?(.disconnected(error)) }
        lastFailure = error
        settleLost(error)
        if !closing.isEmpty { refuseWaiting(error, where: { _ in true }) }
        closeIfDone()
    }

    func closeIfDone() {
        guard !closing.isEmpty, unanswered == 0 else { return }
        switch state {
        case .connecting(let connection, let timer):
            timer.cancel()
            connection.close()
        case .ready(let connection): connection.close()
        case .pausing(let timer): timer.cancel()
        case .new, .closed: break
        }
        state = .closed
        inFlight = []
        check?.cancel()
        check = nil
        for continuation in closing { continuation.resume() }
        closing = []
    }

    // MARK: Deadlines

    private static let checkEvery = Duration.milliseconds(100)

    private func startChecking() {
        guard check == nil, unanswered > 0 else { return }
        check = loop.timer(after: Self.checkEvery) { [self] in
            check = nil
            checkDeadlines()
            startChecking()
        }
    }

    private func checkDeadlines() {
        let now = loop.uptime
        if !inFlight.isEmpty, now - lastProgress > limits.silentWithin {
            lose(PostgresError(.unavailable, "PostgreSQL was silent for \(limits.silentWithin)"))
        }
        let error =
            isReady
            ? PostgresError(.timedOut, "not sent within \(limits.waitWithin)")
            : PostgresError(.unavailable, lastFailure?.message ?? "not connected yet")
        refuseWaiting(error) { $0.deadline <= now }
        closeIfDone()
    }

    private func refuseWaiting(_ error: PostgresError, where isRefused: (PipelineRequest) -> Bool) {
        for request in queue.remove(where: isRefused) { request.finish(.failure(error)) }
    }
}
