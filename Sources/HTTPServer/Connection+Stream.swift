internal import CEvent
internal import HTTPCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connection whose answer is a stream.
///
/// libevent reads meanwhile, so that it notices when the client leaves; it watches for room only where some is needed,
/// since each change costs a system call for each stream.
extension Connection {
    /// The head of the stream is in the buffer; it goes out at the end of the pass.
    func beginStream() {
        enter(.stream)
        giveUpUnacknowledged()
        sendLater()
    }

    /// Writes the pieces of the pass, and lets go of a client that does not take them.
    func sendPieces() {
        let output = bufferevent_get_output(buffer)
        // libevent writes 16 pieces of memory at most.
        while evbuffer_get_length(output) > 0, writeOut(output) > 0 {}
        let waiting = evbuffer_get_length(output)
        if waiting > server.limits.streamWaitingBytes + HTTPLimits.lastWordBytes {
            drop()
        } else if waiting > 0 {
            bufferevent_enable(buffer, Int16(EV_WRITE))
        } else {
            bufferevent_disable(buffer, Int16(EV_WRITE))
        }
    }

    /// Sends the end of a stream's body; what follows is an answer like any other.
    func endStream() {
        let ending = exchange
        exchange = nil
        ending?.sendEnd()
    }

    /// Lets the owner of the connection's stream say goodbye.
    func drainStream() {
        if phase == .stream { exchange?.drain() }
    }

    /// Keeps what a client sends behind its request for later, but no more than a request's head.
    ///
    /// One that sends more is read again after its stream; until then only writing tells that it has left.
    func holdBack(_ input: OpaquePointer) {
        if evbuffer_get_length(input) > server.limits.headBytes {
            bufferevent_disable(buffer, Int16(EV_READ))
        }
    }

    /// Resets the connection: the kernel forgets at once what it holds for the client.
    private func drop() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            bufferevent_getfd(buffer), SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        exchange?.leaveStream(.slow)
        server.close(self)
    }

    /// Has the kernel end the connection when the client acknowledges nothing for as long as an answer may take.
    ///
    /// Else a phone that lost its network stays for a quarter of an hour, for so long TCP tries.
    private func giveUpUnacknowledged() {
        let seconds = server.limits.answerWithin.components.seconds
        #if canImport(Darwin)
            var limit = Int32(clamping: max(seconds, 1))
            let name = TCP_RXT_CONNDROPTIME
        #else
            var limit = Int32(clamping: max(seconds, 1) * 1000)
            let name = TCP_USER_TIMEOUT
        #endif
        setsockopt(
            bufferevent_getfd(buffer), Int32(IPPROTO_TCP), name, &limit,
            socklen_t(MemoryLayout<Int32>.size))
    }
}
