internal import CEvent
internal import EventLoop
package import HTTPCore

/// What has come of an answer that is read piece by piece.
package enum StreamEvent: Sendable, Equatable {
    /// Status and fields; the body follows.
    case head(Response)
    /// The next bytes of the body: a chunk, where the server sends chunks.
    case piece([UInt8])
    /// The body is complete.
    case ended
    /// There is no more, and the body is not complete.
    case failed(HTTPClientError)
}

/// An answer that is read piece by piece, over a connection of its own; confined to its client's loop.
package final class ClientStream: @unchecked Sendable {
    // Touched on the loop's thread only: that makes the claim above true.

    private unowned let client: HTTPClient
    private let loop: EventLoop
    /// Whether the client still holds the stream, and with it the connection.
    private var isHeld = true
    /// `nil` when the stream is over.
    private var handle: ((StreamEvent) -> Void)?
    /// libevent's `evhttp_connection`.
    private var evcon: OpaquePointer?
    private var timer: LoopTimer?
    private var failure: HTTPClientError?

    init(client: HTTPClient, handle: @escaping (StreamEvent) -> Void) {
        self.client = client
        loop = client.loop
        self.handle = handle
    }

    /// Whether more may come.
    package var isOpen: Bool { handle != nil }

    /// Closes the connection; nothing more is handed over.
    package func cancel() {
        loop.preconditionIsCurrent()
        guard isOpen else { return }
        handle = nil
        freeLater()
    }

    // MARK: Sending the request

    func start(_ request: Request, to base: BaseURL, resolver: OpaquePointer?) {
        let limits = client.limits
        evcon = evhttp_connection_base_new(loop.base, resolver, base.host, base.port)
        guard let evcon else { return fail(.unreachable) }
        evhttp_connection_set_max_body_size(evcon, -1)  // of all pieces together
        evhttp_connection_set_max_headers_size(evcon, limits.headBytes)
        bufferevent_setwatermark(
            evhttp_connection_get_bufferevent(evcon), Int16(EV_READ), 0, limits.bodyBytes + limits.headBytes)
        // Ends nothing, since ours comes first; without one evhttp has 50 seconds of its own.
        evhttp_connection_set_timeout(evcon, Int32(clamping: limits.answerWithin.components.seconds + 2))
        let target = base.pathPrefix + request.target
        guard let raw = makeRequest() else { return fail(.unreachable) }
        guard fill(raw, with: request, to: base), isTarget(target) else {
            evhttp_request_free(raw)
            return fail(.unusable)
        }
        timer = loop.timer(after: limits.answerWithin) { [unowned self] in fail(.timedOut) }
        if evhttp_make_request(evcon, raw, request.method.command, target) != 0 { fail(.unreachable) }
    }

    private func makeRequest() -> UnsafeMutablePointer<evhttp_request>? {
        // The client holds the stream until its connection is freed, and with it the request.
        let me = Unmanaged.passUnretained(self).toOpaque()
        let raw = evhttp_request_new(
            { raw, context in
                guard let context else { return }
                Unmanaged<ClientStream>.fromOpaque(context).takeUnretainedValue().finished(raw)
            }, me)
        guard let raw else { return nil }
        evhttp_request_set_error_cb(
            raw,
            { error, context in
                guard let context else { return }
                Unmanaged<ClientStream>.fromOpaque(context).takeUnretainedValue().failure = HTTPClientError(
                    error)
            })
        evhttp_request_set_header_cb(
            raw,
            { raw, context in
                guard let raw, let context else { return 0 }
                Unmanaged<ClientStream>.fromOpaque(context).takeUnretainedValue().begun(raw)
                return 0
            })
        evhttp_request_set_chunked_cb(
            raw,
            { raw, context in
                guard let raw, let context else { return }
                let bytes = takeBytes(raw.pointee.input_buffer)
                Unmanaged<ClientStream>.fromOpaque(context).takeUnretainedValue().handle?(.piece(bytes))
            })
        return raw
    }

    // MARK: What evhttp says

    private func begun(_ raw: UnsafeMutablePointer<evhttp_request>) {
        guard raw.pointee.response_code != 100 else { return }
        timer?.cancel()
        timer = nil
        evhttp_connection_set_timeout(evcon, 0)  // none: a stream may be silent
        handle?(
            .head(
                Response(
                    status: Int(raw.pointee.response_code), headers: headers(raw.pointee.input_headers))))
    }

    private func finished(_ raw: UnsafeMutablePointer<evhttp_request>?) {
        if let raw, raw.pointee.response_code != 0 {
            end(.ended)
        } else {
            fail(failure ?? .unreachable)  // without an error before, the connection was not made
        }
    }

    // MARK: The end

    /// Ends the stream, but tells it later: evhttp may fail while it is given the request.
    func fail(_ error: HTTPClientError) {
        loop.execute { [self] in end(.failed(error)) }
    }

    private func end(_ event: StreamEvent) {
        guard let handle else { return }
        self.handle = nil
        freeLater()
        handle(event)
    }

    /// Ends the stream at once, with the client.
    func close() {
        let handle = self.handle
        self.handle = nil
        free()
        handle?(.failed(.closed))
    }

    /// evhttp may be in the middle of reading from the connection.
    private func freeLater() {
        loop.execute { [self] in free() }
    }

    private func free() {
        guard isHeld else { return }
        isHeld = false
        timer?.cancel()
        timer = nil
        if let evcon { evhttp_connection_free(evcon) }  // frees its request without calling back
        evcon = nil
        client.hasClosed(self)
    }
}
