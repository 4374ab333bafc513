internal import CEvent
internal import EventLoop
internal import HTTPCore

/// An answer that stays open: evhttp has sent its head, and pieces go straight into the connection's buffer.
///
/// `evhttp_send_reply_chunk` would do the same by way of a second buffer and `printf`, for each piece and stream.
extension Exchange: StreamCarrier {
    /// Seconds after which a client that was refused a stream may ask again.
    private static let retryAfter = "5"

    /// Sends the head, whose fields are there, and lets the stream send the body; or refuses.
    func open(_ stream: ResponseStream, status: Int) {
        guard server.gauges.openStream(server.limits) else {
            stream.close(.refused)
            return sendInstead(
                Refusal(status: 503, reason: "The server has too many open streams."),
                retryAfter: Exchange.retryAfter)
        }
        // HTTP/1.0 knows no chunks: there the body ends with the connection, which evhttp must not keep.
        if !isChunked {
            evhttp_remove_header(raw.pointee.input_headers, "Connection")
            evhttp_remove_header(raw.pointee.output_headers, "Connection")
            evhttp_add_header(raw.pointee.output_headers, "Connection", "close")
        }
        evhttp_send_reply_start(raw, Int32(status), nil)
        forgetHeaders()
        state = .streaming(stream)
        connection.beginStream()
        stream.begin(on: self)
        if server.isDraining { drain() }
    }

    /// Frees what the request's and the answer's fields hold, but for what evhttp asks at the end.
    private func forgetHeaders() {
        let closes = evhttp_find_header(raw.pointee.output_headers, "Connection") != nil
        evhttp_clear_headers(raw.pointee.input_headers)
        evhttp_clear_headers(raw.pointee.output_headers)
        if closes { evhttp_add_header(raw.pointee.output_headers, "Connection", "close") }
    }

    private var isChunked: Bool { raw.pointee.minor >= 1 }

    // MARK: What the stream asks for

    var waitingBytes: Int { evbuffer_get_length(bufferevent_get_output(connection.buffer)) }

    func carry(_ bytes: [UInt8]) {
        loop.preconditionIsCurrent()
        let output = bufferevent_get_output(connection.buffer)
        if !isChunked {
            put(bytes, into: output)
        } else if bytes.count < lentBytes {
            addChunk(bytes, to: output)
        } else {
            put(Array("\(String(bytes.count, radix: 16))\r\n".utf8), into: output)
            put(bytes, into: output)
            put([13, 10], into: output)
        }
        connection.sendLater()
    }

    func endBody() {
        loop.preconditionIsCurrent()
        guard case .streaming = state else { return }
        state = .ending
        server.gauges.closeStream()
        connection.enter(.sending)
        connection.sendLater()
    }

    /// A small piece with its frame, in one go.
    private func addChunk(_ bytes: [UInt8], to output: OpaquePointer?) {
        let frame = 7  // up to three digits, and two line ends
        withUnsafeTemporaryAllocation(byteCount: bytes.count + frame, alignment: 1) { chunk in
            var count = 0
            func append(_ byte: UInt8) {
                chunk[count] = byte
                count += 1
            }
            for shift in [8, 4, 0] where bytes.count >> shift > 0 {
                let digit = UInt8(bytes.count >> shift & 15)
                append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
            append(13)
            append(10)
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: chunk[count...]).copyMemory(from: $0)
            }
            count += bytes.count
            append(13)
            append(10)
            evbuffer_add(output, chunk.baseAddress, count)
        }
    }

    // MARK: What the connection asks for

    /// Ends the body in evhttp's way, which may free the connection.
    func sendEnd() {
        state = .answered
        evhttp_send_reply_end(raw)
    }

    /// Lets the owner say goodbye, and ends the body.
    func drain() {
        if case .streaming(let stream) = state { stream.close(.draining) }
    }

    /// The connection is going down, and the stream with it.
    func leaveStream(_ reason: ResponseStream.Reason) {
        guard case .streaming(let stream) = state else { return }
        state = .closed
        server.gauges.closeStream()
        stream.close(reason)
    }
}
