import Platform

/// Tells a worker of the process that there is something to do, from any loop; nobody hears it before one listens.
final class Doorbell: Sendable {
    private let answer = Lock<(@Sendable () -> Void)?>(nil)

    func ring() { answer.withLock { $0 }?() }

    func listen(_ answer: @escaping @Sendable () -> Void) { self.answer.withLock { $0 = answer } }
}
