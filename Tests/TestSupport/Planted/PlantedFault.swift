/// A fault of a server's store, put in on purpose, so that it is known whether it would be found.
package enum PlantedFault: String, Sendable, CaseIterable {
    /// A mark leaves the revisions as they were.
    case skippedRevision
    /// What was deleted is listed again a second later.
    case resurrectedDelete
    /// A message of another app gets into a list now and then.
    case leakedTenant
    /// One of two instances looks at states of a moment ago.
    case staleInstance
    /// A mark of a broadcast is accepted and not written.
    case lostBroadcastMark
    /// Lists are of some seconds ago.
    case expiredListed
    /// A person stays on a device for a while after the logout.
    case lingeringPerson
    /// The body of a message is still served to its readers after the recall.
    case bodyAfterRecall
    /// What fell out by the cap is listed again when there is room.
    case returningCap

    /// The lapse of a store that is the same.
    package var lapse: StoreLapse? {
        switch self {
        case .skippedRevision: .dropsRevision
        case .resurrectedDelete, .leakedTenant, .staleInstance, .lostBroadcastMark, .expiredListed,
            .lingeringPerson, .bodyAfterRecall, .returningCap:
            nil
        }
    }
}
