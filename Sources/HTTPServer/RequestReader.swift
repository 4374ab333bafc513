internal import CEvent
internal import HTTPCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Why a request that evhttp took is refused; the connection is closed with the answer, for nobody can say where the
/// next request would begin.
struct Refusal: Error, Equatable {
    let status: Int
    let reason: String

    static func bad(_ reason: String) -> Refusal {
        Refusal(status: 400, reason: reason)
    }
}

/// Makes a `Request` of what evhttp has parsed, and refuses what evhttp lets through.
struct RequestReader {
    /// Whether the client wants the connection closed in a way that evhttp does not see: `Connection: TE, close`.
    private(set) var wantsClose = false
    private var headers = Headers(reservingFields: 16, bytes: 512)
    private var hosts = 0
    private var lengths = 0
    private var length: UnsafePointer<CChar>?
    private var encodings = 0
    private var isChunked = false

    /// The request, with the body moved out of evhttp's buffer.
    mutating func read(_ raw: UnsafeMutablePointer<evhttp_request>, peer: String) throws(Refusal) -> Request {
        guard raw.pointee.major == 1, (0...1).contains(raw.pointee.minor) else {
            throw Refusal(status: 505, reason: "This server speaks HTTP/1.1 and HTTP/1.0.")
        }
        guard let method = Method(raw.pointee.type), method != .connect else {
            throw Refusal(status: 501, reason: "This server is no proxy.")
        }
        guard let uri = raw.pointee.uri else { throw .bad("The request has no target.") }
        let (target, authority) = try Target.read(uri, method)
        try readHeaders(evhttp_request_get_input_headers(raw), replacingHost: authority)
        try checkFraming(method, isVersion11: raw.pointee.minor == 1)
        var request = Request(method, target, headers: headers, peer: peer)
        request.body = takeBody(raw.pointee.input_buffer)
        return request
    }

    private mutating func readHeaders(
        _ list: UnsafeMutablePointer<evkeyvalq>?, replacingHost authority: String?
    ) throws(Refusal) {
        var next = list?.pointee.tqh_first
        while let field = next {
            next = field.pointee.next.tqe_next
            guard let name = field.pointee.key, let value = field.pointee.value else { continue }
            let nameBytes = bytes(name)
            let valueBytes = bytes(value)
            guard isToken(nameBytes) else { throw .bad("A header field has a name that is no token.") }
            guard isText(valueBytes) else {
                throw .bad("A header field has a control character in its value.")
            }
            let isHost = note(nameBytes, valueBytes, value)
            if isHost, authority != nil { continue }
            headers.add(nameBytes, valueBytes)
        }
        // The authority of an absolute target replaces the Host field, which must be there all the same.
        if let authority { headers.add("Host", authority) }
    }

    /// Remembers what framing depends on; true for the Host field.
    private mutating func note(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>,
        _ text: UnsafePointer<CChar>
    ) -> Bool {
        switch name.count {
        case 4 where equal(name, "host"):
            hosts += 1
            return true
        case 10 where equal(name, "connection"):
            // evhttp understands the single words.
            wantsClose = wantsClose || (value.count > 5 && listHasClose(value))
        case 14 where equal(name, "content-length"):
            lengths += 1
            length = text
        case 17 where equal(name, "transfer-encoding"):
            encodings += 1
            isChunked = equal(value, "chunked")
        default:
            break
        }
        return false
    }

    private func checkFraming(_ method: Method, isVersion11: Bool) throws(Refusal) {
        guard hosts == 1 || (hosts == 0 && !isVersion11) else {
            throw .bad("A request has exactly one Host field.")
        }
        guard lengths <= 1, encodings <= 1, lengths + encodings <= 1 else {
            throw .bad("The length of the body is given more than once.")
        }
        if encodings == 1 {
            guard isChunked else {
                throw Refusal(status: 501, reason: "The only known transfer encoding is chunked.")
            }
            guard isVersion11 else { throw .bad("HTTP/1.0 has no transfer encodings.") }
        }
        var hasBody = encodings == 1
        if let length {
            let digits = bytes(length)
            guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
                throw .bad("Content-Length is not a number of digits.")
            }
            hasBody = digits.contains { $0 != UInt8(ascii: "0") }
        }
        // evhttp does not read these bodies: they would be taken for the next request.
        guard !hasBody || (method != .head && method != .trace) else {
            throw .bad("A request with this method has no body.")
        }
    }

    private func takeBody(_ buffer: OpaquePointer?) -> [UInt8] {
        let count = evbuffer_get_length(buffer)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            initialized = max(0, Int(evbuffer_remove(buffer, bytes.baseAddress, count)))
        }
    }
}

extension Method {
    fileprivate init?(_ type: evhttp_cmd_type) {
        switch type {
        case EVHTTP_REQ_GET: self = .get
        case EVHTTP_REQ_POST: self = .post
        case EVHTTP_REQ_HEAD: self = .head
        case EVHTTP_REQ_PUT: self = .put
        case EVHTTP_REQ_DELETE: self = .delete
        case EVHTTP_REQ_OPTIONS: self = .options
        case EVHTTP_REQ_TRACE: self = .trace
        case EVHTTP_REQ_CONNECT: self = .connect
        case EVHTTP_REQ_PATCH: self = .patch
        default: return nil
        }
    }
}
