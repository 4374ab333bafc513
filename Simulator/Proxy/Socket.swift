#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What became of reading or writing.
enum Transfer: Equatable {
    /// So many bytes have passed; more than none.
    case passed(Int)
    /// Nothing can pass now.
    case later
    /// The peer sends nothing more.
    case ended
    /// The connection is broken.
    case broken
}

/// A TCP socket on loopback that never blocks.
///
/// A name, not an owner: whoever has it closes it once.
struct Socket {
    let descriptor: Int32

    /// A socket bound to a port, or to a free one for 0; it does not listen yet.
    ///
    /// Several may be bound to one port as long as at most one listens.
    static func bound(to port: UInt16) throws(ProxyError) -> Socket {
        let made = try Socket.make()
        var on: Int32 = 1
        setsockopt(made.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard made.with(port, bind) == 0 else {
            let code = errno
            made.close()
            throw ProxyError(call: "bind", code: code)
        }
        return made
    }

    /// A connection to a port that is being made; nothing if it was refused at once.
    static func connecting(to port: UInt16) -> Socket? {
        guard let made = try? Socket.make() else { return nil }
        if made.with(port, connect) == 0 || errno == EINPROGRESS { return made }
        made.close()
        return nil
    }

    private static func make() throws(ProxyError) -> Socket {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw ProxyError(call: "socket", code: errno) }
        let made = Socket(descriptor: descriptor)
        made.prepare()
        return made
    }

    /// The next connection that waits; nothing if none does, or none can be had.
    func accepted() -> Socket? {
        let descriptor = accept(self.descriptor, nil, nil)
        guard descriptor >= 0 else { return nil }
        let made = Socket(descriptor: descriptor)
        made.prepare()
        return made
    }

    private func prepare() {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private func with(
        _ port: UInt16, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The port that it is bound to.
    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &size)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Why a connection could not be made; 0 if it was.
    var connectFailure: Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
        return code
    }

    /// Reads what is there, at most as much as the buffer has room for.
    func receive(into buffer: inout [UInt8]) -> Transfer {
        let count = read(descriptor, &buffer, buffer.count)
        if count == 0 { return .ended }
        return count > 0 ? .passed(count) : isPatient ? .later : .broken
    }

    /// Writes as much as there is room for.
    func send(_ bytes: ArraySlice<UInt8>) -> Transfer {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        return count >= 0 ? .passed(count) : isPatient ? .later : .broken
    }

    private var isPatient: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }

    /// Tells the peer that nothing more comes.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection in good order.
    func close() { closeDescriptor(descriptor) }

    /// Ends the connection by a reset, which the peer sees as an error.
    func reset() {
        var none = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
        closeDescriptor(descriptor)
    }
}

/// `close` of the system, whose name the method has.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

/// Why a proxy could not be made.
package struct ProxyError: Error, Equatable, CustomStringConvertible {
    /// The call of the operating system that failed, and its `errno`.
    let call: String
    let code: Int32

    package var description: String { "\(call) failed with errno \(code)" }
}
