internal import CEvent

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An address on which a server could not listen.
package struct ListenError: Error, Equatable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    package let reason: String

    package var description: String {
        "cannot listen on \(host) port \(port): \(reason)"
    }
}

/// Refuses an address on which somebody listens already.
///
/// Loops share a port, and so would two servers that were started by mistake: the kernel would give each of them half
/// of the connections.
package func checkIsFree(host: String, port: UInt16) throws(ListenError) {
    let found = try addresses(host, port)
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
    defer { close(descriptor) }
    var on: Int32 = 1
    // As the listener has it: connections that are still closing are in nobody's way.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard descriptor >= 0, bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
        throw ListenError(host: host, port: port, reason: String(cString: strerror(errno)))
    }
}

/// A listener on the first address that `host` stands for; it accepts nothing before it has a callback.
func makeListener(
    on base: OpaquePointer, host: String, port: UInt16, backlog: Int32
) throws(ListenError) -> OpaquePointer {
    let found = try addresses(host, port)
    defer { freeaddrinfo(found) }
    let flags =
        LEV_OPT_REUSEABLE | LEV_OPT_REUSEABLE_PORT | LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC
    let listener = evconnlistener_new_bind(
        base, nil, nil, flags, backlog, found.pointee.ai_addr, Int32(found.pointee.ai_addrlen))
    guard let listener else {
        throw ListenError(host: host, port: port, reason: String(cString: strerror(errno)))
    }
    // Accepted sockets inherit it: an answer that takes several writes does not wait for the client.
    var on: Int32 = 1
    setsockopt(
        evconnlistener_get_fd(listener), Int32(IPPROTO_TCP), TCP_NODELAY, &on,
        socklen_t(MemoryLayout<Int32>.size))
    return listener
}

/// The addresses that `host` stands for; to be freed by the caller.
private func addresses(_ host: String, _ port: UInt16) throws(ListenError) -> UnsafeMutablePointer<addrinfo> {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
    #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &found)
    guard code == 0, let found else {
        throw ListenError(host: host, port: port, reason: String(cString: gai_strerror(code)))
    }
    return found
}

/// The port that a socket is bound to.
func localPort(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
        // The port stands at the same place for IPv4 and IPv6.
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt16(bigEndian: $0.pointee.sin_port)
        }
    }
}
