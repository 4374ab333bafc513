package import InboxModel
package import InboxService
import Platform
import Postgres

extension PostgresStore {
    /// All sends in one transaction, in the order key, app, messages, inboxes, deliveries.
    package func send(
        _ sends: [Send], for app: AppCredentials, as terms: SendTerms
    ) async throws -> SendResult {
        var items: [SendBatch.Item] = []
        for send in sends {
            let target = AudienceQuery(app: app.app, send).target(app.deliveryMode)
            items.append(
                SendBatch.Item(
                    send: send, unknown: try await unknown(in: send.audience, of: app.app),
                    way: send.isBroadcast ? .log : .deliveries(to: target)))
        }
        let batch = try SendBatch(items, in: app.app, as: terms, limits: limits)
        guard !batch.statements.isEmpty else { return .sent([]) }
        do {
            let results = try await write(
                batch.statements, for: app.app, changing: batch.changedViews, on: pipelines.sends)
            return .sent(try batch.outcomes(from: results))
        } catch let forestalled as Forestalled where forestalled.name == Idempotency.forestalledBy {
            guard let request = terms.request else { throw StoreFault.broken(forestalled.name) }
            return .repeated(try await forestaller(of: request, in: app.app))
        }
    }

    package func reach(
        _ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials
    ) async throws -> (recipients: Int, unknown: [String]) {
        let query = AudienceQuery(app: app.app, audience: audience, deviceTypes: deviceTypes)
        let count: SQL =
            audience == .everyone
            ? AudienceQuery.installedChannels(of: deviceTypes, in: app.app)
            : "SELECT count(*) FROM (\(query.target(app.deliveryMode))) t"
        let recipients = try await faults {
            try await pipelines.reads.row(count, scope: Self.scope(app.app)) { (row) throws(PostgresError) in
                try row.next(Int64.self)
            }
        }
        return (Int(recipients ?? 0), try await unknown(in: audience, of: app.app))
    }

    /// The named people and channels that do not exist, as `kind:id` in the order of the audience.
    private func unknown(in audience: Audience, of app: AppID) async throws -> [String] {
        let people = audience.namedPeople
        let channels = audience.namedChannels
        guard !people.isEmpty || !channels.isEmpty else { return [] }
        return try await faults {
            try await pipelines.reads.rows(
                """
                SELECT 'named_user:' || p.name
                FROM unnest(\(people)) WITH ORDINALITY p (name, i)
                WHERE NOT EXISTS (SELECT FROM named_users WHERE app_id = \(app) AND named_user = p.name)
                UNION ALL
                SELECT 'channel:' || c.id
                FROM unnest(\(channels)) WITH ORDINALITY c (id, i)
                WHERE NOT EXISTS (SELECT FROM channels WHERE app_id = \(app) AND channel_id = c.id)
                """, scope: Self.scope(app)
            ) { (row) throws(PostgresError) in try row.next(String.self) }
        }
    }
}

extension AudienceQuery {
    init(app: AppID, _ send: Send) {
        self.init(app: app, audience: send.audience, deviceTypes: send.deviceTypes)
    }

    /// The inboxes that a send is stored in: persons' where the mode says so and only people are named.
    func target(_ mode: DeliveryMode) -> SQL {
        switch mode {
        case .devices: devices
        case .person: audience.people.map { people($0) } ?? devices
        }
    }
}
