import InboxModel
package import InboxService
package import Postgres

/// Reading and changing an app's settings, for the server and for operators.
enum SettingsStatement {
    /// The app with its settings, as `AppProfile` reads it.
    static func profile(of app: AppID) -> SQL {
        """
        SELECT app_key, name, delivery_mode, identity_mode, filter_mode, filter_untargeted, inbox_cap,
            broadcast_spread_seconds, cors_origins
        FROM apps
        WHERE app_id = \(app)
        """
    }

    /// Statements of one write; the last is `profile`.
    ///
    /// The row is locked before it is looked at, so that the audit says what this change has changed.
    static func change(_ change: SettingsChange, of app: AppID, by actor: String) -> [SQL] {
        [
            "SELECT 1 FROM apps WHERE app_id = \(app) FOR NO KEY UPDATE",
            """
            WITH old AS (SELECT \(json) AS settings FROM apps WHERE app_id = \(app)), new AS (\(update(change, of: app)))
            INSERT INTO audit (app_id, actor, action, subject, detail)
            SELECT \(app), \(actor), 'app.change', '', (
                SELECT jsonb_object_agg(n.key, n.value) FROM jsonb_each(new.settings) n
                WHERE n.value IS DISTINCT FROM old.settings -> n.key)
            FROM old, new
            """,
            profile(of: app),
        ]
    }

    /// Nothing where all is so already.
    private static func update(_ change: SettingsChange, of app: AppID) -> SQL {
        """
        UPDATE apps
        SET delivery_mode = coalesce(\(change.deliveryMode), delivery_mode),
            identity_mode = coalesce(\(change.identityMode), identity_mode),
            filter_mode = coalesce(\(change.filterMode), filter_mode),
            filter_untargeted = coalesce(\(change.filterUntargeted), filter_untargeted),
            inbox_cap = coalesce(\(change.inboxCap.map(Int32.init)), inbox_cap),
            broadcast_spread_seconds = coalesce(
                \(change.broadcastSpreadSeconds.map(Int32.init)), broadcast_spread_seconds),
            cors_origins = coalesce(\(change.corsOrigins?.map(\.text)), cors_origins),
            revision = revision + 1, settings_revision = settings_revision + 1
        WHERE app_id = \(app) AND (
            delivery_mode <> \(change.deliveryMode) OR identity_mode <> \(change.identityMode)
            OR filter_mode <> \(change.filterMode) OR filter_untargeted <> \(change.filterUntargeted)
            OR inbox_cap <> \(change.inboxCap.map(Int32.init))
            OR broadcast_spread_seconds <> \(change.broadcastSpreadSeconds.map(Int32.init))
            OR cors_origins <> \(change.corsOrigins?.map(\.text)))
        RETURNING \(json) AS settings
        """
    }

    /// The settings by the API's names and words.
    private static let json: SQL =
        """
        jsonb_build_object(
            'delivery_mode', (ARRAY['devices', 'person'])[delivery_mode + 1],
            'identity_mode', (ARRAY['verified', 'trusted'])[identity_mode + 1],
            'filter_mode', (ARRAY['off', 'client', 'server'])[filter_mode + 1],
            'filter_untargeted', filter_untargeted, 'inbox_cap', inbox_cap,
            'broadcast_spread_seconds', broadcast_spread_seconds, 'cors_origins', to_jsonb(cors_origins))
        """
}

extension AppProfile: RowDecodable {
    package init(row: inout Row) throws(PostgresError) {
        guard let key = AppKey(text: try row.next(String.self)) else {
            throw PostgresError(.decoding, "app_key is no app key")
        }
        let name = try row.next(String.self)
        let modes = (delivery: try row.next(DeliveryMode.self), identity: try row.next(IdentityMode.self))
        let filter = (mode: try row.next(FilterMode.self), untargeted: try row.next(Bool.self))
        let cap = Int(try row.next(Int32.self))
        let spread = Int(try row.next(Int32.self))
        let origins = try row.next([String].self).map(Origin.init(stored:))
        self.init(
            key: key, name: name,
            settings: AppSettings(
                modes: modes, filter: filter, inboxCap: cap, broadcastSpreadSeconds: spread,
                corsOrigins: origins)
        )
    }
}

// The column's check constraint lets no other number in.
extension FilterMode: PostgresValue {}
