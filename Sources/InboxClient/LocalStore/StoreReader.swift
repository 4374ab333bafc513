import ClientCore
import InboxModel
import InboxWire
import Platform

/// Reads an inbox out of a database; what makes no sense is an error, never left out.
struct StoreReader {
    let connection: SQLiteConnection

    /// All of it.
    func inbox() throws(StoreError) -> StoredInbox {
        var inbox = StoredInbox()
        (inbox.installation, inbox.confirmed) = try state()
        inbox.outbox = try outbox()
        inbox.views = try views()
        return inbox
    }

    /// What can be read of a damaged inbox and is not to be had from the server: installation and outbox.
    func rest() -> StoredInbox {
        var inbox = StoredInbox()
        // What fails here is lost for good; whoever asked says so by what is missing.
        if let state = try? state() { inbox.installation = state.0 }
        let stretches = (try? stretches()) ?? []
        var marks: [Int64: [PendingMark]] = [:]
        // A file of an earlier version was not brought to this one.
        let version = (try? connection.number("PRAGMA user_version")) ?? 0
        let reporting = version < StoreSchema.marksWithReporting ? "NULL" : "reporting"
        try? each(markIn: { marks[$0, default: []].append($1) }, reporting)
        let number = (try? connection.number("SELECT last_mark FROM state")) ?? 0
        let kept = stretches.map { Stretch($0.login, marks: marks[$0.number] ?? []) }
        inbox.outbox = Outbox(kept, lastNumber: number)
        return inbox
    }

    private func state() throws(StoreError) -> (Installation?, ConfirmedLogin) {
        var found: (Installation?, ConfirmedLogin)?
        try connection.each(
            """
            SELECT is_confirmed, confirmed_person, channel, secret, user, password, server_channel FROM state
            """
        ) { row throws(StoreError) in
            var row = row
            let isConfirmed = try row.integer() == 1
            let person = try row.textOrNull().map(NamedUserID.init(stored:))
            found = (try installation(&row), isConfirmed ? .person(person) : .unknown)
        }
        guard let found else { throw .senseless("there is no state") }
        return found
    }

    private func installation(_ row: inout SQLiteRow) throws(StoreError) -> Installation? {
        guard let channel = try row.textOrNull() else { return nil }
        guard let channel = ChannelID(text: channel) else { throw .senseless("a channel is none") }
        var installation = Installation(channel: channel, secret: try row.text())
        guard let user = try row.textOrNull() else { return installation }
        var credential = InboxCredential(user: user, password: try row.text())
        if let text = try row.textOrNull() {
            guard let channel = ChannelID(text: text) else { throw .senseless("a channel is none") }
            credential.channel = channel
        }
        installation.credential = credential
        return installation
    }

    private func outbox() throws(StoreError) -> Outbox {
        let stretches = try stretches()
        guard !stretches.isEmpty else { throw .senseless("nobody is logged in, not even nobody") }
        var marks: [Int64: [PendingMark]] = [:]
        try each(markIn: { marks[$0, default: []].append($1) })
        return Outbox(
            stretches.map { Stretch($0.login, marks: marks[$0.number] ?? []) },
            lastNumber: try connection.number("SELECT last_mark FROM state") ?? 0)
    }

    private func stretches() throws(StoreError) -> [(number: Int64, login: Login)] {
        var stretches: [(number: Int64, login: Login)] = []
        try connection.each("SELECT number, person, proof FROM stretches ORDER BY number") {
            row throws(StoreError) in
            var row = row
            let number = try row.integer()
            let person = try row.textOrNull().map(NamedUserID.init(stored:))
            stretches.append((number, Login(person, proof: try row.textOrNull())))
        }
        return stretches
    }

    private func each(
        markIn body: (Int64, PendingMark) -> Void, _ reporting: String = "reporting"
    ) throws(StoreError) {
        try connection.each(
            "SELECT stretch, number, message, mark, \(reporting) FROM marks ORDER BY number"
        ) { row throws(StoreError) in
            var row = row
            let (stretch, number) = (try row.integer(), try row.integer())
            guard let message = MessageID(text: try row.text().utf8),
                let mark = MessageMark(rawValue: try row.text())
            else { throw .senseless("mark \(number) is none") }
            body(stretch, PendingMark(number, message, mark, reporting: try row.bytesOrNull()))
        }
    }
}
