import InboxModel

/// Where an inbox is kept on the device.
///
/// A store holds what `StoredInbox.apply` makes of the changes that it was given. It may be called from any thread, and
/// blocks until it is done.
package protocol LocalStore: Sendable {
    /// All that is kept.
    func load() throws -> StoredInbox

    /// All that is kept, if another store has saved since this one last loaded or saved; else nothing.
    func loadIfChanged() throws -> StoredInbox?

    /// Keeps changes: all of them or, if it throws, none. What was saved survives the end of process and power.
    ///
    /// - Throws: `StoreError.outdated` if another store has saved since this one last loaded or saved.
    func save(_ changes: [StoreChange]) throws

    /// Keeps this instead of all there was, as `save`: what to try after a `save` that failed.
    func replace(_ inbox: StoredInbox) throws

    /// What became of a damaged inbox that was replaced since this was last asked; nothing if none was.
    func takeRecovery() -> StoreRecovery?

    /// Lets go of the inbox; every other call fails from now on.
    func close()
}

extension LocalStore {
    /// Nothing: nobody else has it.
    package func loadIfChanged() throws -> StoredInbox? { nil }

    /// Nothing: there is no file that breaks.
    package func takeRecovery() -> StoreRecovery? { nil }
}

/// How a store was found when it was opened.
package enum StoreOpening: Hashable, Sendable {
    /// Nothing was kept yet.
    case fresh
    /// What was kept is there.
    case opened
    /// What was there could not be used. It lies aside, as `NAME.damaged`, and a new one was made.
    case recovered(StoreRecovery)

    /// What became of it, if it was damaged.
    var recovery: StoreRecovery? {
        switch self {
        case .recovered(let recovery): recovery
        case .fresh, .opened: nil
        }
    }
}

/// What became of an inbox that was damaged.
package struct StoreRecovery: Hashable, Sendable {
    /// For people: what was wrong.
    package let reason: String
    /// Whether the installation was saved; without it the app registers anew, and the device's own messages are lost.
    package var hasInstallation = false
    /// Marks that the server is yet to be told and that were saved.
    package var marks = 0

    package init(reason: String) { self.reason = reason }
}

/// Why a store could not do what it was asked to.
package enum StoreError: Error, Hashable, Sendable {
    /// SQLite's code, extended, and its words.
    case failed(code: Int32, String)
    /// What is kept makes no sense.
    case senseless(String)
    /// Another store has saved the inbox since: `load` it again, and do again what was not kept.
    case outdated
    /// `close` was called.
    case closed
}
