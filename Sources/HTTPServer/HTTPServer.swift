internal import CEvent
package import EventLoop
internal import HTTPCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// HTTP/1.1 on one loop, over evhttp: connections, limits, deadlines, late answers, streams.
///
/// It knows no route. Confined to its loop: everything here is called on the loop's thread. The owner keeps it until `drain` or `close`
/// has returned.
package final class HTTPServer {
    let loop: EventLoop
    let limits: HTTPLimits
    let gauges: HTTPGauges
    let errorBody: ErrorBody
    let patience: Patience
    private let sweepPeriod: Int64
    private unowned let responder: any HTTPResponder

    /// libevent's `evhttp`; `nil` once closed.
    private var http: OpaquePointer?
    private var listeners: [OpaquePointer] = []
    /// Every open connection by its `evhttp_connection`.
    private var connections: [OpaquePointer: Connection] = [:]
    /// Connections that libevent has accepted in this very callback, and the event by which they are looked at next.
    private var accepted: [Connection] = []
    private var adoption: OpaquePointer?
    /// What the end of the pass has to do: send answers, refuse what is arriving, and close what has become idle.
    private var answered: [Connection] = []
    private var refused: [(connection: Connection, refusal: Refusal)] = []
    private var leaving: [Connection] = []
    private var sweeper: LoopTimer?
    private var whenEmpty: CheckedContinuation<Void, Never>?
    private let handle = Handle()

    /// The time of the last look at the deadlines, in nanoseconds of uptime: near enough to begin a wait.
    private var now: Int64
    private var deadlines = Deadlines()
    /// Whether connections are closed as soon as they have their answer.
    private(set) var isDraining = false

    /// A server that listens nowhere yet.
    ///
    /// - Parameter responder: kept by the owner for as long as the server.
    package init(
        loop: EventLoop, limits: HTTPLimits, gauges: HTTPGauges, responder: any HTTPResponder,
        errorBody: @escaping ErrorBody = problemBody
    ) {
        loop.preconditionIsCurrent()
        self.loop = loop
        self.limits = limits
        self.gauges = gauges
        self.responder = responder
        self.errorBody = errorBody
        patience = Patience(limits)
        sweepPeriod = limits.sweepPeriod.nanoseconds
        now = loop.uptime.nanoseconds
        http = makeHTTP()
        adoption = makeAdoption()
        handle.server = self
        loop.passEnds { [handle] in handle.server?.passEnded() }
        sweepLater()
    }

    deinit {
        precondition(http == nil, "the owner closes the server before letting go of it")
    }

    /// Connections that are open on this loop.
    package var openConnections: Int {
        connections.count
    }

    /// Listens on a numeric address or `localhost`, and returns the port: port 0 picks one.
    ///
    /// Other loops and processes may listen on the same port; the kernel spreads the connections.
    package func listen(host: String, port: UInt16) throws -> UInt16 {
        loop.preconditionIsCurrent()
        guard let http else { throw ListenError(host: host, port: port, reason: "the server is closed") }
        let listener = try makeListener(on: loop.base, host: host, port: port, backlog: limits.backlog)
        guard let bound = evhttp_bind_listener(http, listener) else {
            evconnlistener_free(listener)
            throw ListenError(host: host, port: port, reason: "out of memory")
        }
        listeners.append(bound)
        let real = localPort(of: evconnlistener_get_fd(listener))
        // Without descriptors accepting fails at once, again and again: give up the processor for a while.
        evconnlistener_set_error_cb(listener) { listener, _ in evconnlistener_disable(listener) }
        return real
    }

    /// Stops listening, answers what is in flight, ends streams, closes the rest; returns when no connection is left or
    /// time is over.
    package func drain(within limit: Duration) async {
        loop.preconditionIsCurrent()
        stopListening()
        isDraining = true
        for connection in Array(connections.values) {
            if connection.isIdle { close(connection) } else { connection.drainStream() }
        }
        if !connections.isEmpty {
            let deadline = loop.timer(after: limit) { [handle] in handle.server?.closeConnections() }
            await withCheckedContinuation { whenEmpty = $0 }
            deadline.cancel()
        }
        close()
    }

    /// Closes everything at once; the server is of no more use.
    package func close() {
        loop.preconditionIsCurrent()
        guard let http else { return }
        stopListening()
        closeConnections()
        handle.server = nil
        sweeper?.cancel()
        evhttp_free(http)
        if let adoption { event_free(adoption) }
        self.http = nil
        adoption = nil
    }

    private func stopListening() {
        guard let http else { return }
        for listener in listeners { evhttp_del_accept_socket(http, listener) }
        listeners = []
    }

    private func closeConnections() {
        for connection in Array(connections.values) {
            connection.drainStream()
            close(connection)
        }
    }

    // MARK: What connections ask for

    func close(_ connection: Connection) {
        evhttp_connection_free(connection.evcon)  // calls `closed`
    }

    /// Puts the connection on the list of those whose answers go out at the end of the pass.
    func sendLater(_ connection: Connection) {
        answered.append(connection)
    }

    /// Answers and closes a connection at the end of the pass: libevent is still reading from it.
    func refuseLater(_ connection: Connection, _ refusal: Refusal) {
        refused.append((connection, refusal))
    }

    /// Closes a connection at the end of the pass, unless the next request has begun: libevent is still writing to it.
    func closeLater(_ connection: Connection) {
        leaving.append(connection)
    }

    /// Starts a wait of the connection in this slot, in nanoseconds.
    func wait(_ slot: Int, for limit: Int64) {
        // `now` may be a whole period ago.
        deadlines.set(slot, to: now &+ limit &+ sweepPeriod)
    }

    func respond(to request: Request, _ exchange: Exchange) {
        responder.respond(to: request) { exchange.finish($0) }
    }

    // MARK: Passes and deadlines

    private func passEnded() {
        while !answered.isEmpty {
            let sending = answered
            answered.removeAll(keepingCapacity: true)
            for connection in sending { connection.send() }
        }
        if refused.isEmpty, leaving.isEmpty { return }
        let (refusing, closing) = (refused, leaving)
        (refused, leaving) = ([], [])
        // What has become a whole request meanwhile is answered.
        for (connection, refusal) in refusing where connection.isReceiving { connection.refuse(refusal) }
        for connection in closing where connection.isIdle { close(connection) }
    }

    private func sweepLater() {
        sweeper = loop.timer(after: limits.sweepPeriod) { [handle] in handle.server?.sweep() }
    }

    private func sweep() {
        now = loop.uptime.nanoseconds
        for connection in deadlines.passed(at: now) { connection.giveUp() }
        for listener in listeners { evconnlistener_enable(evhttp_bound_socket_get_listener(listener)) }
        sweepLater()
    }

    // MARK: The life of a connection

    private func adoptAccepted() {
        let fresh = accepted
        accepted.removeAll(keepingCapacity: true)
        for connection in fresh {
            guard let evcon = connection.adopt() else { continue }
            connections[evcon] = connection
            connection.begin(deadlines.add(connection))
            if !gauges.open(connection.counted, limits) {
                connection.refuse(Refusal(status: 503, reason: "The server has too many connections."))
            } else if isDraining {
                close(connection)
            }
        }
    }

    /// The connection is going down: libevent frees it when this returns.
    func closed(_ connection: Connection) {
        connections[connection.evcon] = nil
        deadlines.remove(connection.slot)
        gauges.close(connection.counted)
        guard connections.isEmpty, let whenEmpty, isDraining else { return }
        self.whenEmpty = nil
        whenEmpty.resume()
    }

    // MARK: libevent's side

    private func makeHTTP() -> OpaquePointer {
        guard let http = evhttp_new(loop.base) else { preconditionFailure("out of memory") }
        // The server frees `http` before it goes itself, so libevent need not hold it.
        let context = Unmanaged.passUnretained(self).toOpaque()
        // Every method that evhttp can read: the router above answers 405 with what a path allows.
        evhttp_set_allowed_methods(http, 0x01ff)
        evhttp_set_default_content_type(http, nil)
        evhttp_set_max_headers_size(http, limits.headBytes)
        evhttp_set_max_body_size(http, limits.bodyBytes)
        evhttp_set_bevcb(
            http,
            { base, context in
                guard let base, let context else { return nil }
                return Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().accept(on: base)
            }, context)
        evhttp_set_gencb(
            http,
            { request, context in
                guard let request, let context else { return }
                Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().received(request)
            }, context)
        return http
    }

    private func makeAdoption() -> OpaquePointer? {
        let callback: event_callback_fn = { _, _, context in
            guard let context else { return }
            Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().adoptAccepted()
        }
        return event_new(loop.base, -1, 0, callback, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Makes the socket buffer of a connection that is being accepted.
    ///
    /// libevent fills in descriptor and peer after this returns, so the rest is done by an event that runs before the
    /// base waits again, and so before the first byte is read.
    private func accept(on base: OpaquePointer) -> OpaquePointer? {
        guard let buffer = bufferevent_socket_new(base, -1, 0) else { preconditionFailure("out of memory") }
        accepted.append(Connection(server: self, buffer: buffer))
        event_active(adoption, Int32(EV_TIMEOUT), 0)
        return buffer
    }

    private func received(_ raw: UnsafeMutablePointer<evhttp_request>) {
        guard let evcon = raw.pointee.evcon, let connection = connections[evcon] else {
            preconditionFailure("each connection is adopted before it is read from")
        }
        connection.received(raw)
    }
}

/// The server as the loop's callbacks know it, until it is closed.
///
/// Not a weak reference: an object that has one counts all its references in a slower way.
private final class Handle {
    unowned(unsafe) var server: HTTPServer?
}
