import Foundation
import Platform
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A server that answers by a script whatever it is asked: one list of answers for each connection.
///
/// Runs on a thread of its own and ends with its script.
final class ScriptedServer: Sendable {
    /// What the server does after it has read a head.
    enum Step: Sendable {
        /// Sends these bytes.
        case send(String)
        /// Sends these bytes and closes.
        case sendAndClose(String)
        /// Sends nothing and waits until the client closes.
        case hang
    }

    let port: UInt16
    private let descriptor: Int32
    /// The heads it was sent.
    let heads = Lock<[String]>([])

    init(_ script: [[Step]]) throws {
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, size)
                _ = getsockname(listener, $0, &size)
            }
            return UInt16(bigEndian: address.pointee.sin_port)
        }
        try #require(listen(listener, 16) == 0)
        descriptor = listener
        // It blocks, and the pool has only as many threads as there are processors.
        Thread.detachNewThread { [self] in
            for steps in script { serve(steps) }
            close(descriptor)
        }
    }

    private func serve(_ steps: [Step]) {
        let client = accept(descriptor, nil, nil)
        defer { close(client) }
        for step in steps {
            guard readHead(client) else { return }
            switch step {
            case .send(let text):
                write(text, to: client)
            case .sendAndClose(let text):
                return write(text, to: client)
            case .hang:
                var byte: UInt8 = 0
                while read(client, &byte, 1) > 0 {}
                return
            }
        }
    }

    private func readHead(_ client: Int32) -> Bool {
        var head = ""
        var byte: UInt8 = 0
        while !head.hasSuffix("\n\r\n") && !head.hasSuffix("\r\n\r\n") {
            guard read(client, &byte, 1) == 1 else { return false }
            head.unicodeScalars.append(Unicode.Scalar(byte))
            if head.utf8.suffix(4).elementsEqual([13, 10, 13, 10]) { break }
        }
        heads.withLock { [head] in $0.append(head) }
        return true
    }

    private func write(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
