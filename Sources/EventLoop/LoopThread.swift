internal import CEvent
internal import Platform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The thread that `EventLoop.start` made, until somebody has joined it.
struct LoopThread: @unchecked Sendable {
    // A `pthread_t` is a name, which any thread may hold.
    let id: pthread_t
}

extension EventLoop {
    /// A loop that runs on a new thread of its own, until `stop`; `join` waits for that.
    ///
    /// - Parameter name: shown by `ps -L` and `perf`; Linux keeps 15 bytes.
    package static func start(name: String) throws -> EventLoop {
        let loop = try EventLoop()
        let start = Unmanaged.passRetained(Start(loop: loop, name: name))  // the new thread takes it over
        #if canImport(Darwin)
            var id: pthread_t?
        #else
            var id = pthread_t()
        #endif
        let code = pthread_create(&id, nil, loopMain, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw EventLoopError.system("pthread_create", code)
        }
        #if canImport(Darwin)
            guard let id else { throw EventLoopError.system("pthread_create", 0) }
        #endif
        loop.belongs(to: number(of: id))
        loop.thread.withLock { [thread = LoopThread(id: id)] in $0 = thread }
        return loop
    }

    /// Waits until the thread that `start` made has ended; blocks the caller, which must not be that thread.
    package func join() {
        let waiting = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let waiting { pthread_join(waiting.id, nil) }
    }
}

/// What a new thread needs to know.
private final class Start {
    let loop: EventLoop
    let name: String

    init(loop: EventLoop, name: String) {
        self.loop = loop
        self.name = name
    }
}

#if canImport(Darwin)
    private func loopMain(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        runLoop(context)
    }
#else
    private func loopMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { preconditionFailure("EventLoop.start passes its context") }
        return runLoop(context)
    }
#endif

private func runLoop(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    #if canImport(Darwin)
        pthread_setname_np(start.name)
    #else
        martlet_name_thread(start.name)  // cut to 15 bytes by the kernel
    #endif
    start.loop.run()
    return nil
}
