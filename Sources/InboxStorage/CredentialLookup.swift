import InboxModel
import InboxService
import Platform
import Postgres

/// The look-up that begins every request of a device: credential, revisions, validator and time, by keys alone.
enum CredentialLookup {
    /// One statement for the users of a pass; for a single one the plain form, which costs less.
    static func statement(_ users: [UserID]) -> SQL {
        guard users.count > 1 else {
            return """
                SELECT 1::bigint, \(columns)
                FROM inbox_users u \(joins)
                WHERE u.app_id = \(users[0].app) AND u.user_key = \(users[0].key) AND \(ReaderColumns.isLive)
                """
        }
        return """
            SELECT k.i, \(columns)
            FROM unnest(\(users.map(\.app.rawValue)), \(users.map(\.key))) WITH ORDINALITY k (app_id, user_key, i)
            JOIN inbox_users u ON u.app_id = k.app_id AND u.user_key = k.user_key AND \(ReaderColumns.isLive)
            \(joins)
            """
    }

    /// Reads a row: the place of its user in the statement's array, and what was found.
    static func decode(_ row: inout Row, _ users: [UserID]) throws(PostgresError) -> (index: Int, Credential)
    {
        let index = Int(try row.next(Int64.self)) - 1
        let digest = try row.next([UInt8].self)
        let state = try row.next([UInt8]?.self)
        let expiry = try row.next(Instant?.self)
        let date = try row.next(Int64?.self)
        let reader = try ReaderColumns.decode(&row, of: users[index])
        var stored: StoredValidator?
        if let state, let date { stored = StoredValidator(state: state, soonestExpiry: expiry, date: date) }
        return (index, Credential(passwordDigest: digest, reader: reader, stored: stored))
    }

    private static let columns: SQL =
        "u.password_digest, u.list_state, u.list_expiry, u.list_date, \(ReaderColumns.columns)"
    private static let joins: SQL = ReaderColumns.joins
}

/// The columns that say whose view it is and in which state: of `inbox_users u`, joined by `joins`.
enum ReaderColumns {
    static let columns: SQL =
        """
        d.inbox_id, d.revision, d.person_id, coalesce(p.revision, 0), a.revision, a.settings_revision,
        d.device_types, least(d.baseline, p.baseline), martlet_now(), d.moved_revision, u.expires_at IS NOT NULL,
        a.filter_mode = 2, a.filter_untargeted
        """

    /// A session ends by itself.
    static let isLive: SQL = "(u.expires_at IS NULL OR u.expires_at > martlet_now())"

    static let joins: SQL =
        """
        JOIN apps a ON a.app_id = u.app_id
        JOIN inboxes d ON d.app_id = u.app_id AND d.inbox_id = u.inbox_id
        LEFT JOIN inboxes p ON p.app_id = d.app_id AND p.inbox_id = d.person_id
        """

    static func decode(_ row: inout Row, of user: UserID) throws(PostgresError) -> Reader {
        let device = try row.next(InboxID.self)
        let deviceRevision = try row.next(Revision.self)
        let person = try row.next(InboxID?.self)
        let personRevision = try row.next(Revision.self)
        let app = (revision: try row.next(Revision.self), settings: try row.next(Revision.self))
        var reader = Reader(
            user: user,
            state: ViewState(
                device: device, deviceRevision: deviceRevision, person: person,
                personRevision: personRevision,
                app: app),
            deviceTypes: try row.next(), baseline: try row.next(), now: try row.next())
        reader.movedRevision = try row.next()
        reader.isSession = try row.next()
        let isEnforced = try row.next(Bool.self)
        let showsUntargeted = try row.next(Bool.self)
        if isEnforced { reader.filter = .namedUser(showsUntargeted: showsUntargeted) }
        return reader
    }

    /// The name of the person who is logged in, or whose session it is, while the app's filter asks for it.
    static let person: SQL =
        """
        CASE WHEN a.filter_mode = 2 THEN (
            SELECT n.named_user FROM named_users n
            WHERE n.app_id = u.app_id
                AND n.inbox_id = CASE WHEN u.expires_at IS NULL THEN d.person_id ELSE d.inbox_id END) END
        """
}
