internal import CEvent
internal import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ends the wait of a base from another thread: an `eventfd` on Linux, a pipe on Apple platforms.
final class Waker: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32
    private let woken = Atomic<Bool>(false)
    private let event: Pointer

    /// A C pointer that is touched by the loop's thread, or before and after it.
    private struct Pointer: @unchecked Sendable {
        let value: OpaquePointer
    }

    init(base: OpaquePointer) throws(EventLoopError) {
        (readEnd, writeEnd) = try Self.descriptors()
        // The mere return from the wait is the purpose, so the callback only empties the descriptor.
        let callback: event_callback_fn = { descriptor, _, _ in
            var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            while read(descriptor, &bytes, 32) == 32 {}  // an eventfd gives 8 bytes, once
        }
        guard let event = event_new(base, readEnd, Int16(EV_READ | EV_PERSIST), callback, nil) else {
            throw .libevent("event_new")
        }
        event_add(event, nil)
        self.event = Pointer(value: event)
    }

    /// Releases event and descriptors; nobody may wake any more.
    func free() {
        event_free(event.value)
        close(readEnd)
        if writeEnd != readEnd { close(writeEnd) }
    }

    /// Makes the current or next wait return at once; from any thread.
    func wake() {
        guard !woken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // A full pipe or counter means that the loop will wake anyway.
        _ = write(writeEnd, &one, 8)
    }

    /// Whether somebody called `wake` since the last question.
    func hasWoken() -> Bool {
        woken.load(ordering: .relaxed) && woken.exchange(false, ordering: .acquiringAndReleasing)
    }

    private static func descriptors() throws(EventLoopError) -> (Int32, Int32) {
        #if canImport(Darwin)
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw .system("pipe", errno) }
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            return (ends[0], ends[1])
        #else
            let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
            guard descriptor >= 0 else { throw .system("eventfd", errno) }
            return (descriptor, descriptor)
        #endif
    }
}
