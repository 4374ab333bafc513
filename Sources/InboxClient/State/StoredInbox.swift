package import ClientCore
package import InboxModel

/// Who is logged in at the server, as far as it told.
package enum ConfirmedLogin: Hashable, Sendable {
    /// A request that would tell was not answered yet.
    case unknown
    case person(NamedUserID?)
}

/// All of an inbox that outlives the app's process.
package struct StoredInbox: Hashable, Sendable {
    package var installation: Installation?
    package var confirmed = ConfirmedLogin.unknown
    package var outbox = Outbox()
    /// The one that was shown last stands first.
    package var views: [PersonView] = []

    package init() {}

    package func view(of person: NamedUserID?) -> CachedView? {
        views.first { $0.person == person }?.view
    }
}

/// A change of what is kept; several made together are kept together, or not at all.
package enum StoreChange: Hashable, Sendable {
    /// A new installation: all that belonged to another goes, but for what the server is yet to be told.
    case installation(Installation)
    /// The installation is registered.
    case credential(InboxCredential)
    case confirmed(ConfirmedLogin)
    /// Somebody else is logged in on this device.
    case login(Login)
    /// The first of the logins that wait is another.
    case headLogin(Login)
    /// The first of the logins that wait is done with.
    case headDone
    /// A mark, and the numbers of those that it makes idle.
    case mark(PendingMark, replaces: Set<Int64>)
    /// Marks that the server has been told of: the rows say what they said, until the server says otherwise.
    case told(Set<Int64>)
    /// Marks that the server does not take.
    case givenUp(Set<Int64>)
    /// All that the server is yet to be told.
    case outbox(Outbox)
    /// A view as a whole.
    case view(NamedUserID?, CachedView)
    /// Rows that changed in a view, rows that went, and how far it is now.
    case rows(NamedUserID?, changed: [MessageRow], removed: [MessageID], cursor: String?)
    /// A view is not kept any more.
    case forget(NamedUserID?)
    /// All that is kept goes.
    case clear
}

extension StoredInbox {
    /// Applies a change.
    package mutating func apply(_ change: StoreChange) {
        switch change {
        case .installation(let installation):
            self.installation = installation
            confirmed = .unknown
            views = []
        case .credential(let credential): installation?.credential = credential
        case .confirmed(let confirmed): self.confirmed = confirmed
        case .login(let login): outbox.begin(login)
        case .headLogin(let login): outbox.changeHead(to: login)
        case .headDone: outbox.dropHead()
        case .mark(let mark, let idle): outbox.add(mark) { idle.contains($0.number) }
        case .told(let numbers):
            settle(numbers)
            outbox.remove(numbers)
        case .givenUp(let numbers): outbox.remove(numbers)
        case .outbox(let outbox): self.outbox = outbox
        case .view(let person, let view): set(view, of: person)
        case .rows(let person, let changed, let removed, let cursor):
            var view = self.view(of: person) ?? CachedView()
            view.apply(changed: changed, removed: removed)
            view.cursor = cursor
            set(view, of: person)
        case .forget(let person): views.removeAll { $0.person == person }
        case .clear: self = StoredInbox()
        }
    }

    /// Makes rows say what marks said of them; a person's own row only what that person said.
    private mutating func settle(_ numbers: Set<Int64>) {
        for stretch in outbox.stretches {
            let told = stretch.marks.filter { numbers.contains($0.number) }
            guard !told.isEmpty else { continue }
            let deleted = Set(told.filter { $0.mark == .delete }.map(\.message))
            let unread = Dictionary(
                told.filter { $0.mark != .delete }.map { ($0.message, $0.mark == .unread) }
            ) { _, last in last }
            for index in views.indices {
                let isOwn = views[index].person == stretch.login.person
                views[index].view.remove { deleted.contains($0.id) && (isOwn || $0.place != .person) }
                guard !unread.isEmpty else { continue }
                views[index].view.update { row in
                    if isOwn || row.place != .person { row.isUnread = unread[row.id] ?? row.isUnread }
                }
            }
        }
    }

    private mutating func set(_ view: CachedView, of person: NamedUserID?) {
        if let index = views.firstIndex(where: { $0.person == person }) {
            views[index].view = view
        } else {
            views.insert(PersonView(person, view), at: 0)
        }
    }
}
