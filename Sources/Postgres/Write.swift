/// Statements that are committed together, and with other writes of the same turn.
///
/// They run in order in the turn's implicit transaction. An error of any write undoes the whole turn; then
/// each write runs again alone, so a statement may run several times but is committed at most once.
package struct Write: Sendable {
    /// The setting that the statements need.
    package var scope: Scope?
    /// Keys of the rows to lock before the first statement of the turn; in any order.
    package var locks: [Int64]
    package var statements: [SQL]
    /// Whether a lock time-out, deadlock, serialization failure or missed row is worth a repeat (at most 3).
    package var canRepeat: Bool

    package init(scope: Scope? = nil, locks: [Int64] = [], canRepeat: Bool = true, _ statements: [SQL]) {
        precondition(!statements.isEmpty, "a write has a statement")
        self.scope = scope
        self.locks = locks
        self.canRepeat = canRepeat
        self.statements = statements
    }
}
