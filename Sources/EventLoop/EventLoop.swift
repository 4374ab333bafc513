internal import CEvent
internal import Platform
internal import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// libevent's base as a Swift executor: one thread runs HTTP, database sockets, timers and Swift jobs.
///
/// Whatever belongs to a loop is touched on its thread only. Create tasks by `Task(executorPreference: loop) { … }`:
/// without the preference every resumed continuation visits the default pool first (see `foreignJobs`).
/// The loop outlives the tasks, actors, timers and watches that it serves; whoever starts it keeps it.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // What makes the claim above true: `own`, `members` and everything of `base` but waking it are touched by the
    // loop's thread alone; `foreign` is behind a lock, and the rest is atomic or never changes.

    /// libevent's `event_base`, for the HTTP server and client.
    package let base: OpaquePointer

    /// Pieces of work the loop's own thread has queued, in order.
    private var own: [Work] = []
    private var running: [Work] = []
    private var members: [() -> Void] = []
    private let foreign = Lock(Foreign())
    private let owner: Atomic<UInt>
    private let stopped = Atomic<Bool>(false)
    private let waker: Waker
    let thread = Lock<LoopThread?>(nil)

    /// Rounds of jobs that make jobs, until sockets have their turn again.
    private static let roundsPerPass = 64

    /// A loop that runs nothing yet and belongs to the calling thread until another one calls `run`.
    package init() throws(EventLoopError) {
        Self.processSettings
        guard let config = event_config_new() else { throw .libevent("event_config_new") }
        defer { event_config_free(config) }
        // No locks: one thread only. The changelist saves a fifth of the CPU time of an HTTP request, and forbids
        // two descriptors of one open file (`dup`) in one base.
        let flags = EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST.rawValue | EVENT_BASE_FLAG_NOLOCK.rawValue
        guard event_config_set_flag(config, Int32(flags)) == 0, let base = event_base_new_with_config(config)
        else { throw .libevent("event_base_new_with_config") }
        self.base = base
        do {
            waker = try Waker(base: base)
        } catch {
            event_base_free(base)
            throw error
        }
        owner = Atomic(currentThread())
    }

    deinit {
        waker.free()
        event_base_free(base)
    }

    /// Runs on the calling thread until `stop`: a pass of libevent, the jobs it made, then what the pass gathered.
    package func run() {
        owner.store(currentThread(), ordering: .relaxed)
        while !stopped.load(ordering: .acquiring) {
            event_base_loop(base, own.isEmpty ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK)
            takeForeign()
            runJobs()
            for member in members { member() }
        }
        takeForeign()
        runJobs()  // what was handed over before `stop` still runs
    }

    /// Ends `run` after its current pass, from any thread; jobs that come later never run.
    package func stop() {
        stopped.store(true, ordering: .releasing)
        waker.wake()
    }

    /// Runs `work` on the loop's thread in a later pass or later in this one; from any thread.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        add(.closure(work))
    }

    /// Calls `action` at the end of each pass, after its jobs, for as long as the loop lives.
    package func passEnds(_ action: @escaping () -> Void) {
        preconditionIsCurrent()
        members.append(action)
    }

    // MARK: Being an executor

    package func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    package func checkIsolated() {
        preconditionIsCurrent()
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool {
        owner.load(ordering: .relaxed) == currentThread()
    }

    /// Stops the program if the caller is not on the loop's thread.
    package func preconditionIsCurrent() {
        precondition(isCurrent, "what belongs to a loop is touched on its thread only")
    }

    /// How many jobs other threads have queued so far: none, on a path that is all the loop's.
    package var foreignJobs: Int {
        foreign.withLock { $0.jobs }
    }

    // MARK: Work

    private func add(_ work: Work) {
        if isCurrent { return own.append(work) }
        let isFirst = foreign.withLock { foreign in
            foreign.jobs += work.isJob ? 1 : 0
            foreign.waiting.append(work)
            return foreign.waiting.count == 1
        }
        if isFirst { waker.wake() }
    }

    private func takeForeign() {
        guard waker.hasWoken() else { return }
        own += foreign.withLock { foreign in
            let waiting = foreign.waiting
            foreign.waiting = []
            return waiting
        }
    }

    private func runJobs() {
        var rounds = 0
        while !own.isEmpty, rounds < Self.roundsPerPass {
            swap(&own, &running)
            for work in running {
                switch work {
                case .job(let job):
                    job.runSynchronously(
                        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
                case .closure(let closure):
                    closure()
                }
            }
            running.removeAll(keepingCapacity: true)
            rounds += 1
        }
    }

    /// Takes the loop's thread to be the given one, before that thread calls `run`.
    func belongs(to thread: UInt) {
        owner.store(thread, ordering: .relaxed)
    }

    /// Settings of the whole process that a loop needs, made once.
    private static let processSettings: Void = {
        // A write to a connection whose peer has left is an error code, not the end of the process.
        _ = signal(SIGPIPE, SIG_IGN)
        #if canImport(Glibc)
            // glibc gives all but 128 KiB of freed memory back to the kernel at once, so that each answer of some
            // kilobytes costs page faults: three for a list of 30 messages.
            martlet_keep_freed(32 * 1024 * 1024)
        #endif
    }()
}

/// One thing to run on a loop.
private enum Work: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)

    var isJob: Bool {
        if case .job = self { true } else { false }
    }
}

/// What other threads have queued.
private struct Foreign: Sendable {
    var waiting: [Work] = []
    var jobs = 0
}

/// The calling thread as a number, equal for equal threads.
func currentThread() -> UInt {
    number(of: pthread_self())
}

/// A thread as a number: `pthread_t` is one on Linux and a pointer on Apple platforms.
func number(of thread: pthread_t) -> UInt {
    #if canImport(Darwin)
        UInt(bitPattern: thread)
    #else
        thread
    #endif
}
