internal import CEvent

/// Bytes of this number and more are lent to libevent: to copy them costs more than to count a reference.
let lentBytes = 4096

/// Puts bytes at the end of a buffer of libevent.
func put(_ bytes: [UInt8], into buffer: OpaquePointer?) {
    guard bytes.count >= lentBytes else {
        if !bytes.isEmpty { _ = bytes.withUnsafeBytes { evbuffer_add(buffer, $0.baseAddress, $0.count) } }
        return
    }
    // Retained until libevent has sent or dropped the bytes and calls back. Nobody changes them meanwhile, so the
    // array's storage stays where it is.
    let lent = Unmanaged.passRetained(LentBytes(bytes))
    let isTaken = lent.takeUnretainedValue().bytes.withUnsafeBytes { bytes in
        evbuffer_add_reference(
            buffer, bytes.baseAddress, bytes.count,
            { _, _, lent in
                if let lent { Unmanaged<LentBytes>.fromOpaque(lent).release() }
            }, lent.toOpaque())
    }
    if isTaken != 0 { lent.release() }
}

/// Bytes while libevent reads them.
private final class LentBytes {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}
