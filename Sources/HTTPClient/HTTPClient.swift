internal import CEvent
package import EventLoop
package import HTTPCore

/// HTTP/1.1 from one loop, over evhttp: connections that are kept, a limit of them for each server, deadlines.
///
/// Requests may be sent from anywhere; all else happens on the loop. It speaks plain `http` only. The owner calls
/// `close` before letting go of it.
package final class HTTPClient: Transport, @unchecked Sendable {
    // Touched on the loop's thread only, but for what never changes: that makes the claim above true.

    package let loop: EventLoop
    let limits: HTTPClientLimits
    private var pools: [BaseURL: ConnectionPool] = [:]
    private var streams: [ObjectIdentifier: ClientStream] = [:]
    private var resolver: OpaquePointer?
    private var isClosed = false

    /// A client that has no connection yet.
    package init(loop: EventLoop, limits: HTTPClientLimits = HTTPClientLimits()) {
        self.loop = loop
        self.limits = limits
    }

    deinit {
        precondition(
            pools.isEmpty && streams.isEmpty && resolver == nil,
            "the owner closes the client before letting go of it")
    }

    /// Sends the request and returns the answer, whatever its status.
    ///
    /// A `GET`, `HEAD` or `OPTIONS` that met a connection which the server was just closing is sent once more.
    ///
    /// - Throws: `HTTPClientError`, or `CancellationError` as soon as the task is cancelled.
    package func send(_ request: Request, to base: BaseURL) async throws -> Response {
        let call = Call(request, loop)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if loop.isCurrent { return begin(call, to: base, continuation) }
                loop.execute { self.begin(call, to: base, continuation) }
            }
        } onCancel: {
            loop.execute { call.fail(CancellationError()) }
        }
    }

    /// Sends the request and hands over its answer as it comes, on the loop; to be called there.
    ///
    /// Each stream has a connection of its own, which nothing else waits for. `handle` gets one `.head`, then pieces,
    /// and at last `.ended`; or `.failed` at any point, and nothing behind it. It is never called within this function.
    package func open(
        _ request: Request, to base: BaseURL, _ handle: @escaping (StreamEvent) -> Void
    ) -> ClientStream {
        loop.preconditionIsCurrent()
        let stream = ClientStream(client: self, handle: handle)
        let refusal: HTTPClientError? =
            isClosed
            ? .closed : base.isSecure ? .unusable : streams.count < limits.streams ? nil : .overloaded
        streams[ObjectIdentifier(stream)] = stream
        if let refusal {
            stream.fail(refusal)
        } else {
            stream.start(request, to: base, resolver: resolver(for: base.host))
        }
        return stream
    }

    /// The stream's connection is gone.
    func hasClosed(_ stream: ClientStream) {
        streams[ObjectIdentifier(stream)] = nil
    }

    /// Streams that are open or being opened, on the loop's thread.
    package var openStreams: Int {
        loop.preconditionIsCurrent()
        return streams.count
    }

    /// Open connections of ordinary requests, on the loop's thread.
    package var openConnections: Int {
        loop.preconditionIsCurrent()
        return pools.values.reduce(0) { $0 + $1.count }
    }

    /// Closes all connections and ends what is under way, on the loop's thread; later requests fail.
    package func close() {
        loop.preconditionIsCurrent()
        isClosed = true
        for pool in pools.values { pool.close() }
        pools = [:]
        for stream in Array(streams.values) { stream.close() }
        if let resolver { evdns_base_free(resolver, 1) }
        resolver = nil
    }

    private func begin(
        _ call: Call, to base: BaseURL, _ continuation: CheckedContinuation<Response, any Error>
    ) {
        guard call.begin(within: limits.answerWithin, continuation) else { return }
        guard !isClosed else { return call.fail(HTTPClientError.closed) }
        guard !base.isSecure else { return call.fail(HTTPClientError.unusable) }
        pool(for: base).send(call)
    }

    private func pool(for base: BaseURL) -> ConnectionPool {
        if let pool = pools[base] { return pool }
        let pool = ConnectionPool(base: base, loop: loop, limits: limits, resolver: resolver(for: base.host))
        pools[base] = pool
        return pool
    }

    /// What looks up names without blocking the loop; none for numeric addresses.
    private func resolver(for host: String) -> OpaquePointer? {
        if host == "localhost" || host.contains(":") || host.allSatisfy({ $0.isNumber || $0 == "." }) {
            return nil
        }
        if resolver == nil {
            resolver = evdns_base_new(
                loop.base, EVDNS_BASE_INITIALIZE_NAMESERVERS | EVDNS_BASE_DISABLE_WHEN_INACTIVE)
        }
        return resolver
    }
}
