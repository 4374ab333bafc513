internal import EventLoop
internal import HTTPCore

/// The connections to one server, and the requests that wait for one; confined to its loop.
final class ConnectionPool: @unchecked Sendable {
    // Touched on the loop's thread only: that makes the claim above true.

    let base: BaseURL
    let loop: EventLoop
    let limits: HTTPClientLimits
    let resolver: OpaquePointer?

    private var idle: [ClientConnection] = []
    private var all: [ObjectIdentifier: ClientConnection] = [:]
    private var waiting: [Call] = []
    /// The first of `waiting` that has not been taken.
    private var next = 0

    init(base: BaseURL, loop: EventLoop, limits: HTTPClientLimits, resolver: OpaquePointer?) {
        self.base = base
        self.loop = loop
        self.limits = limits
        self.resolver = resolver
    }

    var count: Int { all.count }

    /// Sends the call on a connection that is free, or on a new one, or as soon as there is one.
    func send(_ call: Call) {
        if let connection = idle.popLast() {
            connection.carry(call)
        } else if all.count < limits.connections {
            guard let connection = ClientConnection(pool: self) else {
                return call.fail(HTTPClientError.unreachable)
            }
            all[ObjectIdentifier(connection)] = connection
            connection.carry(call)
        } else if waiting.count - next < limits.waiting {
            waiting.append(call)
        } else {
            call.fail(HTTPClientError.overloaded)
        }
    }

    /// The connection has finished a call.
    func isFree(_ connection: ClientConnection) {
        idle.append(connection)
        sendNext()
    }

    /// The connection is gone.
    func hasClosed(_ connection: ClientConnection) {
        all[ObjectIdentifier(connection)] = nil
        sendNext()
    }

    func close() {
        let calls = waiting[next...]
        (waiting, next) = ([], 0)
        for connection in Array(all.values) { connection.close() }
        for call in calls { call.fail(HTTPClientError.closed) }
        idle = []
    }

    private func sendNext() {
        while next < waiting.count {
            let call = waiting[next]
            next += 1
            if next > 1_000, next * 2 > waiting.count {
                waiting.removeFirst(next)
                next = 0
            }
            if !call.isOver { return send(call) }
        }
        (waiting, next) = ([], 0)
    }
}
