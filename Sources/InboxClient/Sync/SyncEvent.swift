package import ClientCore
package import InboxModel
package import Platform

/// A moment, by both clocks of a device.
package struct SyncTime: Hashable, Sendable {
    /// The time of day, for expiry; it may be wrong, and may be set.
    package var wall: Instant
    /// Never goes back, for pauses.
    package var uptime: Duration

    package init(wall: Instant, uptime: Duration) {
        self.wall = wall
        self.uptime = uptime
    }
}

/// What happens to an inbox on a device.
package enum SyncEvent: Sendable {
    /// An installation for the core that asked for one.
    case installation(Installation)
    /// Somebody wants the newest; `refreshed` tells when it is there.
    case refresh(RefreshID)
    /// Messages may have changed; nobody waits.
    case hint
    case mark(MessageMark, [MessageID])
    /// Somebody logs in on this device, or whoever is logged in out.
    case logIn(Login)
    /// Another has saved since: what is kept now, and what was done here and could not be kept.
    ///
    /// The first stretch is of whoever was logged in here then; each that follows begins with a login that was made here.
    case reloaded(StoredInbox, unkept: [Stretch])
    /// The call that was asked for has ended; the server's own time, if it told.
    case answered(SyncOutcome, serverTime: Instant?)
    /// The time that `wake` named has come.
    case woken
    /// The network may be there again.
    case reachable
    /// The app shows itself, and wants to hear of changes at once; or it does not any more.
    case watching(Bool)
    case stream(StreamNews)
    /// The inbox is switched on or off; off, it is empty and silent.
    case enabled(Bool)
    /// What is shown may be other messages: filter or predicate are others.
    case filtered(NamedUserFilter)
}

/// Names a refresh that somebody waits for.
package struct RefreshID: Hashable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }
}

/// What comes of an event stream.
package enum StreamNews: Hashable, Sendable {
    /// It is open.
    case ready
    /// The view may have changed; everybody's has, if there is a time within which to ask.
    case changed(within: Duration?)
    /// A sign of life.
    case heard
    /// The server ended it, and says why.
    case ended(reason: String, mayReturn: Bool)
    /// It ended without a word.
    case lost(retryAfter: Duration?)
}

/// What a sync core wants done; in this order.
package enum SyncEffect: Hashable, Sendable {
    /// Keep these changes, together, before anything that follows.
    case save([StoreChange])
    /// Make an installation and hand it over.
    case makeInstallation
    case call(SyncCall)
    case openStream
    case closeStream
    /// Say `woken` at this time; it takes the place of any earlier wish, and nothing takes the wish back.
    case wake(Duration?)
    /// What is shown is something else now.
    case show(Shown)
    case tell(SyncNews)
}

/// What an app may want to know.
package enum SyncNews: Hashable, Sendable {
    /// A refresh has ended: the newest is there, or why it is not.
    case refreshed(RefreshID, SyncProblem?)
    /// The server refused a login: nobody is logged in, unless a login was made since.
    case loginRefused(NamedUserID, SyncProblem)
    /// The server says that somebody else is logged in now, or nobody.
    case loginChanged(reason: String)
    /// Marks that the server does not take are given up.
    case marksRefused([MessageID], SyncProblem)
    /// The installation was unknown to the server and has been made anew.
    case installationReplaced
    /// Something failed, and will be tried again.
    case troubled(SyncProblem)
}
