package import InboxModel
package import Platform

/// All that can change what a view shows, besides time: equal states, equal views.
package struct ViewState: Hashable, Sendable {
    package var device: InboxID
    package var deviceRevision: Revision
    /// The inbox of the person who is logged in, if anyone is.
    package var person: InboxID?
    /// Zero without a person.
    package var personRevision: Revision
    package var appRevision: Revision
    package var settingsRevision: Revision

    package init(
        device: InboxID, deviceRevision: Revision, person: InboxID?, personRevision: Revision,
        app: (revision: Revision, settings: Revision)
    ) {
        self.device = device
        self.deviceRevision = deviceRevision
        self.person = person
        self.personRevision = personRevision
        appRevision = app.revision
        settingsRevision = app.settings
    }
}

/// Whose view, and what one snapshot of the database said of it.
package struct Reader: Hashable, Sendable {
    package var user: UserID
    package var state: ViewState
    /// The type of the current channel; every type for a user without one.
    package var deviceTypes: DeviceTypes
    /// The smaller of the app revisions at which device and person came to be: broadcasts above it are visible.
    package var baseline: Revision
    /// The revision at which deliveries were last moved out of the device's inbox or into it.
    package var movedRevision = Revision(rawValue: 0)
    /// The database's time.
    package var now: Instant
    /// Whether `state.device` is the inbox of a person who looks at it without a device.
    package var isSession = false
    package var filter = ViewFilter.off

    package init(user: UserID, state: ViewState, deviceTypes: DeviceTypes, baseline: Revision, now: Instant) {
        self.user = user
        self.state = state
        self.deviceTypes = deviceTypes
        self.baseline = baseline
        self.now = now
    }
}

/// What the look-up of a user's credential found.
package struct Credential: Sendable {
    /// SHA-256 of the password.
    package var passwordDigest: [UInt8]
    package var reader: Reader
    /// What the last full list of the device API was made with, if there was one.
    package var stored: StoredValidator?

    package init(passwordDigest: [UInt8], reader: Reader, stored: StoredValidator?) {
        self.passwordDigest = passwordDigest
        self.reader = reader
        self.stored = stored
    }
}

/// The `Last-Modified` of a user and what it stands for.
package struct StoredValidator: Hashable, Sendable {
    /// The encoded view state, with epoch, renderer and base URL.
    package var state: [UInt8]
    /// From here on the list is another, although nothing was written.
    package var soonestExpiry: Instant?
    /// What the header says, in seconds since 1970.
    package var date: Int64

    package init(state: [UInt8], soonestExpiry: Instant?, date: Int64) {
        self.state = state
        self.soonestExpiry = soonestExpiry
        self.date = date
    }
}
