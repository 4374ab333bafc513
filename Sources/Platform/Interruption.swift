private import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// SIGTERM and SIGINT while a program starts, until a loop looks after them.
///
/// The first is noted, so that what was started can be ended properly; the second ends the process at once.
package enum Interruption {
    /// Notes signals from now on; the loop's own `onSignal` replaces it.
    package static func watch() {
        // Made before a signal comes: a handler must not.
        signals.store(0, ordering: .relaxed)
        for number in [SIGTERM, SIGINT] {
            _ = signal(number) { number in
                if signals.add(1, ordering: .relaxed).oldValue > 0 { _exit(128 + number) }
            }
        }
    }

    /// Whether a signal has come since `watch`.
    package static var hasCome: Bool { signals.load(ordering: .relaxed) > 0 }

    /// - Throws: `Interrupted` if a signal has come.
    package static func check() throws(Interrupted) {
        if hasCome { throw Interrupted() }
    }
}

/// A signal told the program to end.
package struct Interrupted: Error {}

private let signals = Atomic<Int>(0)
