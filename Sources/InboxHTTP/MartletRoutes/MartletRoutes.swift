package import HTTPCore
package import InboxModel

extension Shard {
    /// All of Martlet's own API under `/v1`: what is not in this table is neither served nor described.
    package static func operations(_ limits: Limits) -> [Operation] {
        [
            documentOperations(),
            messageOperations(limits),
            scheduleOperations(limits),
            inboxOperations(limits),
            streamOperations(),
            identityOperations(limits),
            eventOperations(limits),
            personOperations(limits),
            appOperations(),
        ].flatMap { $0 }
    }

    /// Leads the table's calls to their handlers.
    package static func martletRoutes(_ operations: [Operation], into router: inout Router<Route>) {
        for operation in operations {
            router.add(operation.method, operation.pattern, operation.route)
        }
    }
}
