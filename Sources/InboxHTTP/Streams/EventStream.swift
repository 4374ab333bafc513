import HTTPCore
import InboxModel
import InboxService

/// One open stream: whose view it watches, and in which state it last spoke of it.
final class EventStream {
    let user: UserID
    /// Of the password that opened it.
    let passwordDigest: [UInt8]
    /// The view's state that the client was told of.
    var state: ViewState
    /// The database's life that it belongs to.
    private(set) var epoch: UInt64
    /// Sends what is said.
    private(set) var body: ResponseStream?
    /// Which of the registry's buckets it is in.
    var bucket = 0
    /// Waits for its revisions to be looked at.
    var isDoubted = false
    /// Waits for its credential to be looked up.
    var isAwaited = false

    init(_ credential: Credential, in epoch: UInt64) {
        self.epoch = epoch
        user = credential.reader.user
        passwordDigest = credential.passwordDigest
        state = credential.reader.state
    }

    /// Begins to speak; `onClose` is called once, when it is over.
    func open(onClose: @escaping (EventStream, ResponseStream.Reason) -> Void) -> ResponseStream {
        let body = ResponseStream { [unowned self] in onClose(self, $0) }
        self.body = body
        return body
    }

    var isOpen: Bool { body?.isOpen ?? false }

    /// The inboxes of the view, as they were when it last spoke.
    var known: [KnownInbox] {
        let device = KnownInbox(InboxKey(state.device, of: user.app), at: state.deviceRevision)
        guard let person = state.person else { return [device] }
        return [device, KnownInbox(InboxKey(person, of: user.app), at: state.personRevision)]
    }

    /// The app, as it was then.
    var knownApp: KnownApp {
        KnownApp(user.app, at: state.appRevision, settings: state.settingsRevision)
    }

    /// The client was told of no state of this epoch: no app has this revision, so the next look finds another.
    func begin(_ epoch: UInt64) {
        self.epoch = epoch
        state.appRevision = Revision(rawValue: -1)
    }

    /// The client was told of the app's state.
    func tell(of app: KnownApp) {
        (state.appRevision, state.settingsRevision) = (app.revision, app.settingsRevision)
    }
}
