import CPostgres
import EventLoop

/// One libpq connection in pipeline mode on a loop: connects, sends and hands over what arrives, nothing
/// more.
///
/// Lives from `open` until it is lost or closed; another attempt is another object. The loop keeps it until
/// then.
final class Connection {
    /// What happened.
    enum Event {
        /// Connected, and in pipeline mode.
        case opened
        /// The result of the oldest statement.
        case result(QueryResult)
        /// The error of the oldest statement, what follows until the sync is aborted; or of the commit, if only the
        /// sync is still to come.
        case failed(PostgresError)
        /// The oldest statement did not run, because one before it failed.
        case aborted
        /// A sync came back: PostgreSQL has committed or rolled back what was sent before it.
        case synced
        /// Somebody has notified a channel that this connection listens to.
        case notified(channel: String, payload: String)
        /// The connection is gone, and with it all that was not handed over.
        case lost(PostgresError)
    }

    private let loop: EventLoop
    private let receive: (Event) -> Void
    private var handle: OpaquePointer?
    private var watch: DescriptorWatch?
    /// Statements without a result yet before each sync that has not come back, and last those that no sync
    /// follows yet: `PQgetResult` gives nil between statements, so only the count says when all is there.
    private var outstanding = [0]
    /// What was to be sent and could not even be queued.
    private var hasFailedToSend = false

    init(loop: EventLoop, receive: @escaping (Event) -> Void) {
        self.loop = loop
        self.receive = receive
    }

    deinit {
        precondition(handle == nil, "Pipeline closes its connection")
    }

    /// Begins to connect.
    ///
    /// Only the look-up of a host name blocks; give an address or a socket where it is slow.
    func open(_ configuration: ConnectionConfiguration) {
        handle = withKeywords(configuration.keywords()) { PQconnectStartParams($0, $1, 0) }
        guard let handle, PQstatus(handle) != CONNECTION_BAD else { return loseConnecting() }
        martlet_ignore_notices(handle)
        watchSocket(for: .write) { $0.advance() }
    }

    /// Gives the connection up without a word to `receive`.
    func close() {
        // Before `PQfinish`: the descriptor's number may be given out again.
        watch?.cancel()
        watch = nil
        if let handle { PQfinish(handle) }
        handle = nil
    }

    /// The process that serves us, as the server said when we connected.
    var backendPID: Int32 {
        handle.map { PQbackendPID($0) } ?? 0
    }

    // MARK: Sending

    /// Sends a statement to be prepared.
    func prepare(_ name: String, _ sql: SQL) {
        let text = sql.text
        sendStatement { handle in
            sql.withParameters { PQsendPrepare(handle, name, text, $0.count, $0.types) }
        }
    }

    /// Sends a prepared statement's parameters, to be run.
    func execute(_ name: String, _ sql: SQL) {
        sendStatement { handle in
            sql.withParameters {
                PQsendQueryPrepared(handle, name, $0.count, $0.values, $0.lengths, $0.formats, 1)
            }
        }
    }

    /// Drops a prepared statement; libpq has a call of its own for that from version 17 on.
    func deallocate(_ name: String) {
        sendStatement { PQsendQueryParams($0, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) }
    }

    /// Ends a batch.
    func sync() {
        if send({ PQpipelineSync($0) }) { outstanding.append(0) }
    }

    /// Writes out what was sent, as far as the socket takes it now.
    func flush() {
        guard let handle else { return }
        switch hasFailedToSend ? -1 : PQflush(handle) {
        case 0: watch?.change(to: .read)
        case 1: watch?.change(to: [.read, .write])
        default:
            readable()  // the server may have said why
            if self.handle != nil { lose() }
        }
    }

    private func sendStatement(_ statement: (OpaquePointer) -> Int32) {
        if send(statement) { outstanding[outstanding.count - 1] += 1 }
    }

    private func send(_ message: (OpaquePointer) -> Int32) -> Bool {
        guard let handle else { return false }
        let isQueued = message(handle) == 1
        // What follows would be taken for the answer of what is missing, so `flush` gives the connection up.
        if !isQueued { hasFailedToSend = true }
        return isQueued
    }

    // MARK: Connecting

    private func advance() {
        guard let handle else { return }
        // libpq may close the socket and open another one.
        watch?.cancel()
        watch = nil
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: watchSocket(for: .read) { $0.advance() }
        case PGRES_POLLING_WRITING: watchSocket(for: .write) { $0.advance() }
        case PGRES_POLLING_OK: becomeOpen(handle)
        default: loseConnecting()
        }
    }

    private func becomeOpen(_ handle: OpaquePointer) {
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            return loseConnecting()
        }
        watchSocket(for: .read) { $0.ready() }
        receive(.opened)
    }

    private func watchSocket(for events: WatchEvents, _ action: @escaping (Connection) -> Void) {
        guard let handle else { return }
        // The loop's reference to the watch, and the watch's to us, end with `close`.
        watch = loop.watch(PQsocket(handle), for: events) { _ in action(self) }
    }

    private func loseConnecting() {
        let error = PostgresError(connectReason: reason())
        close()
        receive(.lost(error))
    }

    // MARK: Receiving

    private func ready() {
        readable()
        // Reading may have made room that writing waited for.
        flush()
    }

    private func readable() {
        guard let handle else { return }
        let isAlive = PQconsumeInput(handle) == 1
        drain()
        takeNotifications()
        if !isAlive, self.handle != nil { lose() }
    }

    /// Hands over notifications, which come between batches and on their own.
    private func takeNotifications() {
        while let handle, let notification = PQnotifies(handle) {
            let channel = String(cString: notification.pointee.relname)
            let payload = String(cString: notification.pointee.extra)
            PQfreemem(notification)
            receive(.notified(channel: channel, payload: payload))
        }
    }

    private func lose() {
        let error = PostgresError(.unavailable, reason())
        close()
        receive(.lost(error))
    }

    /// Hands over what has arrived; `receive` may close the connection, so each round looks again.
    private func drain() {
        var endings = 0
        while let handle, isOwed, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                // One nil ends a statement; a second one in a row means that nothing more is there.
                endings += 1
                if endings > 1 { return }
                continue
            }
            endings = 0
            take(result)
        }
    }

    /// Whether results are still to come.
    private var isOwed: Bool { outstanding.count > 1 || outstanding[0] > 0 }

    private func take(_ result: OpaquePointer) {
        let status = PQresultStatus(result)
        if status == PGRES_PIPELINE_SYNC {
            outstanding.removeFirst()
        } else if outstanding[0] > 0 {
            outstanding[0] -= 1
        }  // else the commit failed, and the sync is still to come
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            return receive(.result(QueryResult(result)))
        case PGRES_PIPELINE_SYNC:
            PQclear(result)
            receive(.synced)
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            receive(.aborted)
        default:
            let error = PostgresError(result: result)
            PQclear(result)
            receive(.failed(error))
        }
    }

    private func reason() -> String {
        guard let handle else { return "out of memory" }
        return PostgresError.oneLine(PQerrorMessage(handle))
    }
}
