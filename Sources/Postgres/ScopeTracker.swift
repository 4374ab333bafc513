/// Which scope a connection has, whatever becomes of the batches in flight.
///
/// A batch that fails takes its setting back, so after a batch that sets one nothing is certain until it has
/// been committed; and a batch that is sent meanwhile sets its own.
struct ScopeTracker {
    /// The scope that the next batch finds; nil if it is not certain.
    private(set) var certain: Scope?
    private var changesInFlight = 0

    /// A batch was sent that leaves the connection in `scope`, if it succeeds.
    mutating func sent(changingTo scope: Scope?) {
        guard scope != nil else { return }
        certain = nil
        changesInFlight += 1
    }

    /// A batch that was sent so has been committed or taken back.
    mutating func settled(changingTo scope: Scope?, isCommitted: Bool) {
        if scope != nil { changesInFlight -= 1 }
        guard isCommitted else {
            certain = nil
            return
        }
        if let scope, changesInFlight == 0 { certain = scope }
    }
}
