package import InboxModel

/// An inbox and the app that it belongs to.
package struct InboxKey: Hashable, Sendable {
    package let app: AppID
    package let inbox: InboxID

    package init(_ inbox: InboxID, of app: AppID) {
        self.app = app
        self.inbox = inbox
    }
}

/// What may have changed, as far as it is known.
package struct HintBatch: Hashable, Sendable {
    /// In the order in which they came; an inbox may be there several times.
    package private(set) var inboxes: [InboxKey] = []
    /// Apps all of whose views changed.
    package private(set) var apps: Set<AppID> = []
    /// Apps of which other inboxes may have changed than are named.
    package private(set) var doubtfulApps: Set<AppID> = []
    /// Anything may have changed.
    package private(set) var isAllDoubtful = false

    /// Inboxes that are named; beyond it their apps are doubtful, which is found out by reading revisions.
    ///
    /// More than a loop leaves waiting, unless it stands still.
    package static let mostInboxes = 10_000

    package init() {}

    package var isEmpty: Bool {
        inboxes.isEmpty && apps.isEmpty && doubtfulApps.isEmpty && !isAllDoubtful
    }

    package mutating func add(_ inboxes: [InboxID], of app: AppID) {
        guard self.inboxes.count + inboxes.count <= HintBatch.mostInboxes else { return doubt(app) }
        for inbox in inboxes { self.inboxes.append(InboxKey(inbox, of: app)) }
    }

    package mutating func add(_ app: AppID) { apps.insert(app) }

    package mutating func doubt(_ app: AppID) { doubtfulApps.insert(app) }

    /// Nothing that happened lately is sure to be known.
    package mutating func doubtAll() { isAllDoubtful = true }

    package mutating func add(_ other: HintBatch) {
        if inboxes.count + other.inboxes.count <= HintBatch.mostInboxes {
            inboxes += other.inboxes
        } else {
            for key in other.inboxes { doubt(key.app) }
        }
        apps.formUnion(other.apps)
        doubtfulApps.formUnion(other.doubtfulApps)
        isAllDoubtful = isAllDoubtful || other.isAllDoubtful
    }
}
