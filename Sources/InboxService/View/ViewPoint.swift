package import InboxModel
package import Platform

/// A view as it was at a moment: what it was made of, and when.
package struct ViewPoint: Hashable, Sendable {
    package var state: ViewState
    package var deviceTypes: DeviceTypes
    /// The database's time.
    package var time: Instant
    /// From here on the view is another, although nothing was written.
    package var soonestExpiry: Instant?
    package var unreadCount: Int

    package init(
        state: ViewState, deviceTypes: DeviceTypes, time: Instant, soonestExpiry: Instant?, unreadCount: Int
    ) {
        self.state = state
        self.deviceTypes = deviceTypes
        self.time = time
        self.soonestExpiry = soonestExpiry
        self.unreadCount = unreadCount
    }

    package init(_ view: View, of reader: Reader) {
        self.init(
            state: reader.state, deviceTypes: reader.deviceTypes, time: reader.now,
            soonestExpiry: view.soonestExpiry, unreadCount: view.unreadCount)
    }

    /// Whether the view of a reader is still this one.
    package func isCurrent(for reader: Reader) -> Bool {
        state == reader.state && deviceTypes == reader.deviceTypes
            && soonestExpiry.map { reader.now < $0 } ?? true
    }

    /// Whether the view of a reader is of the same inboxes, with what came into them since, so that revisions tell what is
    /// new.
    func isComparable(to reader: Reader) -> Bool {
        state.device == reader.state.device && state.person == reader.state.person
            && state.deviceRevision >= reader.movedRevision
    }
}
