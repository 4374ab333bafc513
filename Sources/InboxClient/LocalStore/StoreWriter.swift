import ClientCore
import InboxModel
import Platform

/// Makes SQL of changes, inside a transaction of the caller's.
///
/// Each statement says in SQL what `StoredInbox.apply` says in Swift; a test holds the two equal.
struct StoreWriter {
    let connection: SQLiteConnection
    private let reached: (StorePoint) -> Void

    init(_ connection: SQLiteConnection, reached: @escaping (StorePoint) -> Void = { _ in }) {
        self.connection = connection
        self.reached = reached
    }

    /// Writes what a change changes.
    func apply(_ change: StoreChange) throws(StoreError) {
        switch change {
        case .installation(let installation): try setInstallation(installation)
        case .credential(let credential): try setCredential(credential)
        case .confirmed(let confirmed): try setConfirmed(confirmed)
        case .login(let login): try begin(login)
        case .headLogin(let login): try changeHead(to: login)
        case .headDone: try dropHead()
        case .mark(let mark, let idle): try add(mark, replacing: idle)
        case .told(let numbers):
            try settle(numbers)
            try remove(numbers)
        case .givenUp(let numbers): try remove(numbers)
        case .outbox(let outbox): try write(outbox)
        case .view(let person, let view): try write(view, of: person)
        case .rows(let person, let changed, let removed, let cursor):
            let view = try makeView(of: person)
            try run("UPDATE views SET cursor = ?2 WHERE number = ?1", .integer(view), SQLiteValue(cursor))
            for message in removed { try delete(message, from: view) }
            for row in changed { try write(row, in: view) }
        case .forget(let person): try forget(person)
        case .clear: try replace(StoredInbox())
        }
    }

    /// Writes a whole inbox in the place of all there was.
    func replace(_ inbox: StoredInbox) throws(StoreError) {
        try forgetViews()
        try run("INSERT INTO state (one) VALUES (1) ON CONFLICT DO NOTHING")
        try run(
            """
            UPDATE state SET channel = NULL, secret = NULL, user = NULL, password = NULL, server_channel = NULL
            """)
        if let installation = inbox.installation {
            try setInstallation(installation)
            if let credential = installation.credential { try setCredential(credential) }
        }
        try setConfirmed(inbox.confirmed)
        try write(inbox.outbox)
        // The last that is made stands first.
        for view in inbox.views.reversed() { try write(view.view, of: view.person) }
    }

    /// Runs a statement that answers nothing, and says so before.
    func run(_ sql: String, _ values: SQLiteValue...) throws(StoreError) {
        reached(.statement)
        try connection.each(sql, values) { _ throws(StoreError) in }
    }

    private func setInstallation(_ installation: Installation) throws(StoreError) {
        try run(
            """
            UPDATE state SET channel = ?1, secret = ?2, user = NULL, password = NULL, server_channel = NULL
            """, .text(installation.channel.text), .text(installation.secret))
        if let credential = installation.credential { try setCredential(credential) }
        try setConfirmed(.unknown)
        try forgetViews()
    }

    private func setCredential(_ credential: InboxCredential) throws(StoreError) {
        try run(
            "UPDATE state SET user = ?1, password = ?2, server_channel = ?3 WHERE channel IS NOT NULL",
            .text(credential.user), .text(credential.password), SQLiteValue(credential.channel?.text))
    }

    private func setConfirmed(_ confirmed: ConfirmedLogin) throws(StoreError) {
        let (isConfirmed, person): (Bool, NamedUserID?) =
            switch confirmed {
            case .unknown: (false, nil)
            case .person(let person): (true, person)
            }
        try run(
            "UPDATE state SET is_confirmed = ?1, confirmed_person = ?2", SQLiteValue(isConfirmed),
            SQLiteValue(person?.text))
    }
}
