internal import CEvent
internal import EventLoop
internal import HTTPCore

/// One connection to a server; evhttp connects it when it has a request, and again after the server has closed it.
final class ClientConnection: @unchecked Sendable {
    // Touched on the loop's thread only, as its pool is: that makes the claim above true.

    private unowned let pool: ConnectionPool
    /// libevent's `evhttp_connection`; `nil` once closed.
    private var evcon: OpaquePointer?
    private var call: Call?
    private var hasAnswered = false
    private var failure: HTTPClientError?

    /// A connection that is not connected yet; `nil` without memory.
    init?(pool: ConnectionPool) {
        self.pool = pool
        evcon = evhttp_connection_base_new(pool.loop.base, pool.resolver, pool.base.host, pool.base.port)
        guard let evcon else { return nil }
        evhttp_connection_set_max_body_size(evcon, pool.limits.bodyBytes)
        evhttp_connection_set_max_headers_size(evcon, pool.limits.headBytes)
        // The deadline of a call ends every wait; evhttp's own would only come in between.
        let (seconds, _) = pool.limits.answerWithin.components
        evhttp_connection_set_timeout(evcon, Int32(clamping: seconds + 2))
    }

    /// Sends the call's request, and answers the call or fails it.
    func carry(_ call: Call) {
        self.call = call
        call.connection = self
        failure = nil
        // The pool holds the connection until it has closed it, and with it the request.
        let me = Unmanaged.passUnretained(self).toOpaque()
        let raw = evhttp_request_new(
            { raw, context in
                guard let context else { return }
                Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue().finished(raw)
            }, me)
        guard let raw else { return end(.failure(.unreachable)) }
        evhttp_request_set_error_cb(
            raw,
            { error, context in
                guard let context else { return }
                Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue().failed(error)
            })
        let target = pool.base.pathPrefix + call.request.target
        guard fill(raw, with: call.request, to: pool.base), isTarget(target) else {
            evhttp_request_free(raw)
            return end(.failure(.unusable))
        }
        // It may have called back already.
        if evhttp_make_request(evcon, raw, call.request.method.command, target) != 0, self.call === call {
            end(.failure(.unreachable))
        }
    }

    /// Ends the connection, for its call has ended without an answer.
    func abandon() {
        guard call != nil else { return }
        call = nil
        free()
    }

    /// Ends the connection and its call.
    func close() {
        let call = self.call
        self.call = nil
        call?.fail(HTTPClientError.closed)
        free()
    }

    private func free() {
        guard let evcon else { return }
        self.evcon = nil
        evhttp_connection_free(evcon)  // frees its request without calling back
        pool.hasClosed(self)
    }

    // MARK: What evhttp says

    private func failed(_ error: evhttp_request_error) {
        failure = HTTPClientError(error)
    }

    private func finished(_ raw: UnsafeMutablePointer<evhttp_request>?) {
        guard let raw, raw.pointee.response_code != 0 else {
            // Without an error before, the connection was not made.
            return end(.failure(failure ?? .unreachable))
        }
        let response = Response(
            status: Int(raw.pointee.response_code), headers: headers(raw.pointee.input_headers),
            body: takeBytes(raw.pointee.input_buffer))
        end(.success(response))
    }

    private func end(_ result: Result<Response, HTTPClientError>) {
        guard let call else { return }
        self.call = nil
        call.connection = nil
        let wasUsed = hasAnswered
        switch result {
        case .success(let response):
            hasAnswered = true
            call.succeed(response)
            pool.isFree(self)
        case .failure(.disconnected) where wasUsed && call.canRepeat:
            call.isRepeated = true
            hasAnswered = false
            carry(call)  // evhttp has reset the connection and connects again
        case .failure(let error):
            hasAnswered = false
            call.fail(error)
            // Later: evhttp may fail while it is given a request, and the next one would fail inside of this one.
            pool.loop.execute { [self, pool] in if evcon != nil { pool.isFree(self) } }
        }
    }
}
