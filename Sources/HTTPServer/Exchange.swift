internal import CEvent
internal import EventLoop
internal import HTTPCore

/// A request that waits for its answer, or has got one.
final class Exchange: @unchecked Sendable {
    // Touched on the loop's thread only, which `finish` and streams check: that makes the claim above true.

    enum State {
        case waiting, answered, expired, closed
        /// The answer is a stream: open, or with an end that is sent when the pass ends.
        case streaming(ResponseStream), ending
    }

    unowned let connection: Connection
    unowned let server: HTTPServer
    let loop: EventLoop
    let raw: UnsafeMutablePointer<evhttp_request>
    var state = State.waiting
    private let isHead: Bool
    private let closes: Bool

    init(
        _ connection: Connection, _ server: HTTPServer, _ raw: UnsafeMutablePointer<evhttp_request>,
        closes: Bool
    ) {
        self.connection = connection
        self.server = server
        loop = server.loop
        self.raw = raw
        isHead = raw.pointee.type == EVHTTP_REQ_HEAD
        self.closes = closes
    }

    /// Sends the answer, unless the client has left or has been answered 503 by now.
    func finish(_ response: Response) {
        loop.preconditionIsCurrent()
        switch state {
        case .waiting:
            state = .answered
            send(response)
        case .answered, .streaming, .ending:
            preconditionFailure("the responder finishes a request once")
        case .expired, .closed:
            response.stream?.close(.clientLeft)
        }
    }

    /// Answers for the responder, which has had its time.
    func expire() {
        state = .expired
        send(error(Refusal(status: 503, reason: "The answer took too long.")))
    }

    /// Answers what never reaches the responder.
    func refuse(_ refusal: Refusal) {
        state = .answered
        send(error(refusal))
    }

    /// evhttp frees the connection next, and with it the request if that is still the connection's.
    func connectionClosed() {
        switch state {
        case .waiting, .ending: state = .closed
        case .streaming: leaveStream(.clientLeft)
        case .answered, .expired, .closed: return
        }
        // After a failed read the request is ours (evhttp_connection_incoming_fail in libevent's http.c).
        if raw.pointee.evcon == nil { evhttp_request_free(raw) }
    }

    private func error(_ refusal: Refusal) -> Response {
        let (contentType, bytes) = server.errorBody(refusal.status, refusal.reason)
        var headers: Headers = ["Content-Type": contentType, "Cache-Control": "no-store"]
        if refusal.status == 503 { headers.add("Retry-After", "1") }
        return Response(status: refusal.status, headers: headers, body: bytes)
    }

    private func send(_ response: Response) {
        guard add(response.headers) else {
            response.stream?.close(.refused)
            return sendInstead(
                Refusal(status: 500, reason: "The answer had a header field that cannot be sent."))
        }
        let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
        if closes || server.isDraining {
            evhttp_add_header(raw.pointee.output_headers, "Connection", "close")
        }
        if let stream = response.stream {
            precondition(response.body.isEmpty, "an answer has a body or a stream")
            if hasBody, !isHead { return open(stream, status: response.status) }
            stream.close(.ended)
        } else if hasBody {
            // Given here, for evhttp leaves it out for HEAD and HTTP/1.0.
            evhttp_add_header(raw.pointee.output_headers, "Content-Length", String(response.body.count))
        }
        if hasBody, !isHead { put(response.body, into: raw.pointee.output_buffer) }
        // The date is added by evhttp.
        evhttp_send_reply(raw, Int32(response.status), nil, nil)
        connection.answered()
    }

    /// Answers without what was to be the answer.
    func sendInstead(_ refusal: Refusal, retryAfter: String? = nil) {
        evhttp_clear_headers(raw.pointee.output_headers)
        var response = error(refusal)
        if let retryAfter { response.headers["Retry-After"] = retryAfter }
        send(response)
    }

    /// False if a field has a line break or a NUL, which would be a gift to whoever supplied it.
    private func add(_ headers: Headers) -> Bool {
        var isValid = true
        headers.forEach { name, value in
            guard isValid, !isFraming(name), let nameText = name.baseAddress,
                let valueText = value.baseAddress
            else { return }
            guard isToken(name), isText(value) else { return isValid = false }
            let result = nameText.withMemoryRebound(to: CChar.self, capacity: name.count + 1) { name in
                valueText.withMemoryRebound(to: CChar.self, capacity: value.count + 1) { value in
                    evhttp_add_header(raw.pointee.output_headers, name, value)
                }
            }
            if result != 0 { isValid = false }
        }
        return isValid
    }

    /// Fields that only the server knows.
    private func isFraming(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        switch name.count {
        case 10: equal(name, "connection")
        case 14: equal(name, "content-length")
        case 17: equal(name, "transfer-encoding")
        default: false
        }
    }
}

extension Refusal {
    /// A whole answer that says `Connection: close`.
    func answer(_ errorBody: ErrorBody) -> [UInt8] {
        let (contentType, bytes) = errorBody(status, reason)
        let retry = status == 503 ? "Retry-After: 1\r\n" : ""
        let head = """
            HTTP/1.1 \(status) \(reasonPhrase(status))\r
            Content-Type: \(contentType)\r
            Content-Length: \(bytes.count)\r
            Cache-Control: no-store\r
            \(retry)Connection: close\r
            \r

            """
        return Array(head.utf8) + bytes
    }
}
