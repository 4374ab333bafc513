internal import CEvent
internal import EventLoop
internal import HTTPCore

/// A request that waits for its answer, or has got one.
final class Exchange: @unchecked Sendable {
    // Touched on the loop's thread only, which `finish` checks: that makes the claim above true.

    private enum State {
        case waiting, answered, expired, closed
    }

    private unowned let connection: Connection
    private unowned let server: HTTPServer
    private let loop: EventLoop
    private var raw: UnsafeMutablePointer<evhttp_request>
    private var state = State.waiting
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
        case .answered:
            preconditionFailure("the responder finishes a request once")
        case .expired, .closed:
            break
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
        guard state == .waiting else { return }
        state = .closed
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
            evhttp_clear_headers(raw.pointee.output_headers)
            return send(
                error(Refusal(status: 500, reason: "The answer had a header field that cannot be sent.")))
        }
        let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
        if closes || server.isDraining {
            evhttp_add_header(raw.pointee.output_headers, "Connection", "close")
        }
        if hasBody {
            // Given here, for evhttp leaves it out for HEAD and HTTP/1.0.
            evhttp_add_header(raw.pointee.output_headers, "Content-Length", String(response.body.count))
        }
        if hasBody, !isHead { addBody(response.body) }
        // The date is added by evhttp.
        evhttp_send_reply(raw, Int32(response.status), nil, nil)
        connection.answered()
    }

    /// Bodies of this size and more are lent to libevent: to copy them costs more than to count a reference.
    private static let lentBytes = 4096

    private func addBody(_ body: [UInt8]) {
        let buffer = raw.pointee.output_buffer
        guard body.count >= Exchange.lentBytes else {
            if !body.isEmpty { _ = body.withUnsafeBytes { evbuffer_add(buffer, $0.baseAddress, $0.count) } }
            return
        }
        // Retained until libevent has sent or dropped the bytes and calls back. Nobody changes them meanwhile, so the
        // array's storage stays where it is.
        let lent = Unmanaged.passRetained(LentBody(body))
        let isTaken = lent.takeUnretainedValue().bytes.withUnsafeBytes { bytes in
            evbuffer_add_reference(
                buffer, bytes.baseAddress, bytes.count,
                { _, _, lent in
                    if let lent { Unmanaged<LentBody>.fromOpaque(lent).release() }
                }, lent.toOpaque())
        }
        if isTaken != 0 { lent.release() }
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

/// A body while libevent reads it.
private final class LentBody {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
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
