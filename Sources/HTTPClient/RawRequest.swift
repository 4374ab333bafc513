internal import CEvent
internal import HTTPCore

/// Puts fields and body into evhttp's request; false if a field has a line break.
func fill(_ raw: UnsafeMutablePointer<evhttp_request>, with request: Request, to base: BaseURL) -> Bool {
    let fields = raw.pointee.output_headers
    var isValid = true
    if request.headers["Host"] == nil { evhttp_add_header(fields, "Host", base.authority) }
    request.headers.forEach { name, value in
        guard let name = UnsafeRawPointer(name.baseAddress)?.assumingMemoryBound(to: CChar.self),
            let value = UnsafeRawPointer(value.baseAddress)?.assumingMemoryBound(to: CChar.self)
        else { return }
        if evhttp_add_header(fields, name, value) != 0 { isValid = false }
    }
    let needsLength = !request.body.isEmpty || [.post, .put, .patch].contains(request.method)
    if needsLength, request.headers["Content-Length"] == nil {
        evhttp_add_header(fields, "Content-Length", String(request.body.count))
    }
    _ = request.body.withUnsafeBytes { evbuffer_add(raw.pointee.output_buffer, $0.baseAddress, $0.count) }
    return isValid
}

/// Whether a target can stand in the first line of a request.
func isTarget(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
}

/// The fields of an answer.
func headers(_ list: UnsafeMutablePointer<evkeyvalq>?) -> Headers {
    var headers = Headers()
    var next = list?.pointee.tqh_first
    while let field = next {
        next = field.pointee.next.tqe_next
        if let name = field.pointee.key, let value = field.pointee.value {
            headers.add(String(cString: name), String(cString: value))
        }
    }
    return headers
}

/// Moves what a buffer holds out of it.
func takeBytes(_ buffer: OpaquePointer?) -> [UInt8] {
    let count = evbuffer_get_length(buffer)
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
        initialized = max(0, Int(evbuffer_remove(buffer, bytes.baseAddress, count)))
    }
}

extension HTTPClientError {
    /// Why evhttp gave up a request that had a connection.
    init(_ error: evhttp_request_error) {
        self =
            switch error {
            case EVREQ_HTTP_TIMEOUT: .timedOut
            case EVREQ_HTTP_EOF, EVREQ_HTTP_BUFFER_ERROR: .disconnected
            default: .badAnswer
            }
    }
}

extension Method {
    /// The method as evhttp names it.
    var command: evhttp_cmd_type {
        switch self {
        case .get: EVHTTP_REQ_GET
        case .head: EVHTTP_REQ_HEAD
        case .post: EVHTTP_REQ_POST
        case .put: EVHTTP_REQ_PUT
        case .delete: EVHTTP_REQ_DELETE
        case .patch: EVHTTP_REQ_PATCH
        case .options: EVHTTP_REQ_OPTIONS
        case .trace: EVHTTP_REQ_TRACE
        case .connect: EVHTTP_REQ_CONNECT
        }
    }
}
