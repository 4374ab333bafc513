package import Foundation
package import InboxModel

/// A message on its way to an audience that is too large for one request.
package struct FanOutID: Hashable, Sendable {
    package var app: AppID
    package var message: MessageID

    package init(app: AppID, message: MessageID) {
        self.app = app
        self.message = message
    }
}

/// What is known of a fan-out: enough to go on with it on any instance.
package struct FanOut: Sendable {
    package var id: FanOutID
    package var audience: Audience
    package var deviceTypes: DeviceTypes
    /// The app's when the message was sent.
    package var deliveryMode: DeliveryMode
    /// Whether people matched when it was sent; else an audience of people means devices alone.
    package var reachesPeople: Bool
    /// Inboxes up to here have the message, if they were to get it.
    package var position: InboxID

    package init(
        id: FanOutID, audience: Audience, deviceTypes: DeviceTypes, deliveryMode: DeliveryMode,
        reachesPeople: Bool = true, position: InboxID
    ) {
        self.id = id
        self.audience = audience
        self.deviceTypes = deviceTypes
        self.deliveryMode = deliveryMode
        self.reachesPeople = reachesPeople
        self.position = position
    }
}

/// What became of a chunk of a fan-out.
package enum ChunkOutcome: Hashable, Sendable {
    /// Committed, with the new position.
    case delivered
    /// Nothing was done: another runner has the fan-out, or it is gone.
    case forestalled
    /// Nothing was done: the message is over, and so is its fan-out.
    case over
}

/// What delivering in the background needs of the store.
///
/// Confined to one loop; each call is durable when it returns. Throws `StoreFault`.
package protocol FanOutStore: AnyObject {
    /// Fan-outs of all apps that the runner may go on with: its own, new ones, and those whose runner gave no sign
    /// of life for 10 seconds. Oldest first, one of each app before a second of any.
    func openFanOuts(for runner: UUID, most: Int) async throws -> [FanOutID]
    /// Nothing if it is gone.
    func fanOut(_ id: FanOutID) async throws -> FanOut?
    /// Inboxes above its position that match now, ascending.
    ///
    /// - Complexity: walks what the audience finds above the position.
    func candidates(of fanOut: FanOut, most: Int) async throws -> [InboxID]
    /// Delivers to those of `inboxes` that still match, and moves the position behind the last of them: one
    /// transaction, which also says that the runner lives.
    ///
    /// - Parameter inboxes: ascending, above the position, at least one.
    func deliver(_ fanOut: FanOut, to inboxes: [InboxID], by runner: UUID) async throws -> ChunkOutcome
    /// Everyone has it: forgets a fan-out that stands where the runner left it.
    func finish(_ fanOut: FanOut, by runner: UUID) async throws
    /// Leaves all fan-outs of a runner to others, at once.
    func release(_ fanOuts: [FanOutID], by runner: UUID) async throws
}
