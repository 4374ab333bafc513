import Platform

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A thread that looks after something until it is told to stop; after a failure it looks less often.
final class Supervisor: Sendable {
    /// Times between rounds, in milliseconds: a dead server is missed soon, and one that cannot start is not
    /// tried all the time.
    private static let usualPause: Int32 = 250
    private static let longestPause: Int32 = 10_000

    private let stopPipe: (read: Int32, write: Int32)
    private let thread: Lock<pthread_t?>

    init(_ round: @escaping @Sendable () throws -> Void) {
        var pipes: [Int32] = [-1, -1]
        precondition(pipe(&pipes) == 0, "a pipe needs two descriptors")
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        stopPipe = (pipes[0], pipes[1])
        thread = Lock(nil)
        let work = Unmanaged.passRetained(Work(stop: pipes[0], round: round))  // the new thread takes it over
        #if canImport(Darwin)
            var id: pthread_t?
        #else
            var id = pthread_t()
        #endif
        let code = pthread_create(&id, nil, supervise, work.toOpaque())
        precondition(code == 0, "a thread can be made")
        thread.withLock { [id] in $0 = id }
    }

    /// Waits for the end of the current round; again is a no-op.
    func stop() {
        guard
            let thread = thread.withLock({ thread in
                defer { thread = nil }
                return thread
            })
        else { return }
        close(stopPipe.write)
        pthread_join(thread, nil)
        close(stopPipe.read)
    }

    deinit {
        stop()
    }

    fileprivate final class Work {
        let stop: Int32
        let round: () throws -> Void

        init(stop: Int32, round: @escaping () throws -> Void) {
            self.stop = stop
            self.round = round
        }

        func run() {
            var pause = Supervisor.usualPause
            while true {
                var waiting = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
                let code = poll(&waiting, 1, pause)
                if code > 0 { return }
                do {
                    try round()
                    pause = Supervisor.usualPause
                } catch {
                    // The round has reported it.
                    pause = min(pause * 2, Supervisor.longestPause)
                }
            }
        }
    }
}

#if canImport(Darwin)
    private func supervise(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Supervisor.Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
#else
    private func supervise(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        Unmanaged<Supervisor.Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
#endif
