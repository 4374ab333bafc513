internal import CEvent
internal import HTTPCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One connection: what it waits for since when, what it has sent, and the request that it is in.
///
/// Lives from being accepted until evhttp says that it is closed; after that none of its pointers may be used.
final class Connection {
    unowned let server: HTTPServer
    /// libevent's `bufferevent`.
    let buffer: OpaquePointer
    /// libevent's `evhttp_connection`; the buffer stands in until adoption.
    private(set) var evcon: OpaquePointer
    private(set) var peer = ""
    /// What the connection is counted under, if it is.
    private(set) var counted: AddressGroup?

    private(set) var phase = Phase.request
    /// Its place in the server's `Deadlines`.
    private(set) var slot = 0
    private var headEnd = HeadEnd()
    /// Bytes of the request so far, and how many of them are in the process's gauge.
    private var requestBytes = 0
    private var countedBytes = 0
    var exchange: Exchange?
    /// Whether the end of the pass will call `send`.
    private var willSend = false
    private var arrivals: OpaquePointer?

    init(server: HTTPServer, buffer: OpaquePointer) {
        self.server = server
        self.buffer = buffer
        evcon = buffer
    }

    /// Whether the connection waits for the first byte of a request.
    var isIdle: Bool { phase == .request }
    /// Whether a request has begun to arrive.
    var isReceiving: Bool { phase == .head || phase == .body }

    // MARK: Beginning and end

    /// Ties the connection to evhttp's and returns that; `nil` if evhttp could not make one.
    func adopt() -> OpaquePointer? {
        var context: UnsafeMutableRawPointer?
        bufferevent_getcb(buffer, nil, nil, nil, &context)  // evhttp has put itself there
        guard let context else { return nil }
        evcon = OpaquePointer(context)
        // The server holds the connection until the close callback, which always comes.
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_connection_set_closecb(
            evcon,
            { _, context in
                guard let context else { return }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().closed()
            }, me)
        arrivals = evbuffer_add_cb(
            bufferevent_get_input(buffer),
            { input, change, context in
                guard let input, let change, let context, change.pointee.n_added > 0 else { return }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().arrived(
                    change.pointee.n_added, in: input)
            }, me)
        var address: UnsafeMutablePointer<CChar>?
        var port: UInt16 = 0
        evhttp_connection_get_peer(evcon, &address, &port)
        peer = address.map { plainAddress(String(cString: $0)) } ?? ""
        counted = server.limits.uncountedAddresses.contains(peer) ? nil : AddressGroup(peer)
        return evcon
    }

    /// Begins to wait for a request, in its slot of the server's deadlines.
    func begin(_ slot: Int) {
        self.slot = slot
        enter(.request)
    }

    private func closed() {
        phase = .closed
        evbuffer_remove_cb_entry(bufferevent_get_input(buffer), arrivals)
        exchange?.connectionClosed()
        exchange = nil
        uncountBody()
        server.closed(self)
    }

    // MARK: Bytes and requests

    /// Bytes have come in; libevent is in the middle of reading, so nothing may be closed here.
    private func arrived(_ count: Int, in input: OpaquePointer) {
        requestBytes += count
        switch phase {
        case .request:
            enter(.head)
            lookForHeadEnd(in: input, last: count)
        case .head:
            lookForHeadEnd(in: input, last: count)
        case .stream:
            return holdBack(input)
        case .body, .answer, .sending, .closed:
            break
        }
        guard requestBytes > server.limits.headBytes else { return }
        let news = requestBytes - server.limits.headBytes - countedBytes
        countedBytes += news
        if server.gauges.addUnfinished(news) > server.limits.unfinishedBodyBytes {
            stopReading(Refusal(status: 503, reason: "The server is receiving too much at once."))
        } else if evbuffer_get_length(input) > server.limits.waitingBytes {
            // A chunk's extension without end; or requests that pile up behind an answer, which may stay with the
            // client until that is written.
            stopReading(Refusal(status: 413, reason: "The request is too large."))
        }
    }

    private func stopReading(_ refusal: Refusal) {
        bufferevent_disable(buffer, Int16(EV_READ))
        server.refuseLater(self, refusal)
    }

    private func lookForHeadEnd(in input: OpaquePointer, last count: Int) {
        var start = evbuffer_ptr()
        let length = evbuffer_get_length(input)
        evbuffer_ptr_set(input, &start, max(0, length - count), EVBUFFER_PTR_SET)
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 8) { pieces in
            let found = evbuffer_peek(input, -1, &start, pieces.baseAddress, 8)
            for piece in pieces.prefix(Int(found)) {
                let bytes = UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len)
                if headEnd.isFound(in: bytes) { return enter(.body) }
            }
        }
    }

    /// evhttp has a whole request.
    func received(_ raw: UnsafeMutablePointer<evhttp_request>) {
        uncountBody()
        enter(.answer)
        raw.pointee.flags &= ~EVHTTP_PROXY_REQUEST  // the absolute form means nothing else than the other one
        evhttp_request_set_on_complete_cb(
            raw,
            { _, context in
                guard let context else { return }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().sent()
            }, Unmanaged.passUnretained(self).toOpaque())
        var reader = RequestReader()
        do {
            let request = try reader.read(raw, peer: peer)
            let exchange = Exchange(
                self, server, raw, closes: reader.wantsClose)
            self.exchange = exchange
            server.respond(to: request, exchange)
        } catch {
            raw.pointee.major = 1  // an answer in HTTP/0.9 or 1.7 would be nonsense
            raw.pointee.minor = 1
            // evhttp keeps a connection with CONNECT open, whatever the answer says.
            if raw.pointee.type == EVHTTP_REQ_CONNECT { raw.pointee.type = EVHTTP_REQ_GET }
            let exchange = Exchange(self, server, raw, closes: true)
            self.exchange = exchange
            exchange.refuse(error)
        }
    }

    /// The answer is with libevent; it goes out at the end of the pass.
    func answered() {
        exchange = nil
        enter(.sending)
        sendLater()
    }

    /// Has `send` called at the end of the pass.
    func sendLater() {
        guard !willSend else { return }
        willSend = true
        server.sendLater(self)
    }

    /// Writes at once what libevent would write after its next wait, which saves most requests a turn of epoll.
    func send() {
        willSend = false
        if phase == .stream { return sendPieces() }
        if phase == .sending, exchange != nil { endStream() }
        guard phase == .sending else { return }
        let output = bufferevent_get_output(buffer)
        writeOut(output)
        // What is left, and every error, is libevent's: it watches for room.
        if evbuffer_get_length(output) == 0 { bufferevent_trigger(buffer, Int16(EV_WRITE), 0) }
    }

    /// Writes what the kernel takes at once.
    @discardableResult
    func writeOut(_ output: OpaquePointer?) -> Int {
        // libevent keeps the front of the buffer to itself, except where it is asked like this.
        evbuffer_unfreeze(output, 1)
        defer { evbuffer_freeze(output, 1) }
        return Int(evbuffer_write(output, bufferevent_getfd(buffer)))
    }

    /// The answer has been written: the next request may be there already.
    private func sent() {
        headEnd = HeadEnd()
        let waiting = evbuffer_get_length(bufferevent_get_input(buffer))
        uncountBody()
        requestBytes = waiting
        enter(waiting > 0 ? .head : .request)
        if waiting > 0 {
            lookForHeadEnd(in: bufferevent_get_input(buffer), last: waiting)
        } else if server.isDraining {
            server.closeLater(self)  // answered before the drain, so without `Connection: close`
        }
    }

    private func uncountBody() {
        if countedBytes > 0 { _ = server.gauges.addUnfinished(-countedBytes) }
        countedBytes = 0
        requestBytes = 0
    }

    // MARK: Deadlines

    func enter(_ phase: Phase) {
        self.phase = phase
        server.wait(slot, for: server.patience[phase])
    }

    /// Ends a wait that has lasted too long.
    func giveUp() {
        switch phase {
        case .head:
            refuse(Refusal(status: 408, reason: "The head of the request did not arrive in time."))
        case .body:
            refuse(Refusal(status: 408, reason: "The body of the request did not arrive in time."))
        case .answer:
            exchange?.expire()
        case .request, .sending:
            server.close(self)
        case .stream, .closed:
            break
        }
    }

    /// Answers without evhttp, which has no whole request to answer, and closes.
    func refuse(_ refusal: Refusal) {
        // While evhttp sends a page of its own there is no room for another answer.
        if evbuffer_get_length(bufferevent_get_output(buffer)) == 0 {
            let descriptor = bufferevent_getfd(buffer)
            let answer = refusal.answer(server.errorBody)
            // What does not fit into an empty socket is lost, with a client that is being closed anyway.
            _ = answer.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            discardInput(descriptor)
        }
        server.close(self)
    }

    /// Reads what has arrived by now: closing with unread bytes resets the connection, and the answer is lost.
    private func discardInput(_ descriptor: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { bytes in
            _ = read(descriptor, bytes.baseAddress, bytes.count)
        }
    }
}

/// An address as it is written everywhere: without an interface, and IPv4 without its IPv6 form.
private func plainAddress(_ text: String) -> String {
    let address = text.prefix { $0 != "%" }
    return String(address.hasPrefix("::ffff:") && address.contains(".") ? address.dropFirst(7) : address)
}
