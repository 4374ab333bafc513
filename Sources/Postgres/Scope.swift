/// A session setting that must be right for a statement, such as the one that row-level security reads.
///
/// A connection remembers which one it has, and statements of a turn are grouped by it. A statement without a
/// scope runs under whichever was there before, so it must not depend on one.
package struct Scope: Hashable, Comparable, Sendable {
    /// Name of the setting, with a dot: `martlet.app_id`.
    package let setting: String
    /// Its value.
    package let value: String

    package init(setting: String, value: String) {
        self.setting = setting
        self.value = value
    }

    /// The order in which a transaction over several scopes takes their locks.
    package static func < (left: Scope, right: Scope) -> Bool {
        (left.setting, left.value) < (right.setting, right.value)
    }

    /// Sets it for the session; a transaction that fails takes that back.
    var statement: SQL {
        "SELECT pg_catalog.set_config(\(setting), \(value), false)"
    }
}
