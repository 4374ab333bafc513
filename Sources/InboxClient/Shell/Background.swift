/// Starts work that outlasts its caller: a call, a wait or a stream of an inbox, which ends it in `close`.
///
/// An app has no loop to name, so it runs wherever the system has room.
@discardableResult
func inBackground(_ work: @escaping @Sendable @concurrent () async -> Void) -> Task<Void, Never> {
    Task(operation: work)
}
