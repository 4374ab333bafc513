import EventLoop
import Platform
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite(.timeLimit(.minutes(10)))
struct DescriptorWatchTests {
    @Test func `a watch reports a readable descriptor until it is cancelled`() async throws {
        try await withLoop { loop in
            let (ours, theirs) = try socketPair()
            let seen = Lock<[UInt8]>([])
            try await on(loop) {
                var watch: DescriptorWatch?
                await withCheckedContinuation { continuation in
                    watch = loop.watch(ours, for: .read) { events in
                        #expect(events == .read)
                        var byte: UInt8 = 0
                        read(ours, &byte, 1)
                        seen.withLock { $0.append(byte) }
                        if byte == 2 { continuation.resume() }
                    }
                    write(theirs, [1, 2] as [UInt8], 2)
                }
                watch?.cancel()
                watch?.cancel()
                write(theirs, [3] as [UInt8], 1)
                try await loop.sleep(for: .milliseconds(2))
            }
            #expect(seen.withLock { $0 } == [1, 2])
            close(ours)
            close(theirs)
        }
    }

    @Test func `a watch changes what it waits for`() async throws {
        try await withLoop { loop in
            let (ours, theirs) = try socketPair()
            let seen = Lock<[WatchEvents]>([])
            try await on(loop) {
                let watch = loop.watch(ours, for: []) { events in seen.withLock { $0.append(events) } }
                write(theirs, [1] as [UInt8], 1)
                try await loop.sleep(for: .milliseconds(2))
                #expect(seen.withLock { $0.isEmpty })
                watch.change(to: .write)
                try await loop.sleep(for: .milliseconds(2))
                watch.change(to: [])
                let writable = seen.withLock { $0 }
                #expect(!writable.isEmpty && writable.allSatisfy { $0 == .write })
                watch.change(to: [.read, .write])
                try await loop.sleep(for: .milliseconds(2))
                #expect(seen.withLock { $0.last } == [.read, .write])
                watch.cancel()
            }
            close(ours)
            close(theirs)
        }
    }

    @Test func `a watch may be cancelled by its own action`() async throws {
        try await withLoop { loop in
            let (ours, theirs) = try socketPair()
            let calls = Lock(0)
            try await on(loop) {
                var watch: DescriptorWatch?
                watch = loop.watch(ours, for: .read) { _ in
                    calls.withLock { $0 += 1 }
                    watch?.cancel()
                    watch = nil
                }
                write(theirs, [1] as [UInt8], 1)
                try await loop.sleep(for: .milliseconds(3))
            }
            #expect(calls.withLock { $0 } == 1)
            close(ours)
            close(theirs)
        }
    }
}

/// Two connected sockets that do not block.
private func socketPair() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin)
        let stream = SOCK_STREAM
    #else
        let stream = Int32(SOCK_STREAM.rawValue)
    #endif
    try #require(socketpair(AF_UNIX, stream, 0, &ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return (ends[0], ends[1])
}
