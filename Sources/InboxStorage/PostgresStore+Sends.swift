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
            let unknown = try await unknown(in: send.audience, of: app.app)
            var known = send
            known.audience = send.audience.without(Set(unknown))
            items.append(
                SendBatch.Item(
                    send: send, unknown: unknown, way: try await way(of: known, in: app.app, app.deliveryMode)
                ))
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

    /// Within the request where few can match or do; else in the background.
    func way(of send: Send, in app: AppID, _ mode: DeliveryMode) async throws -> SendBatch.Way {
        if send.isBroadcast { return .log }
        let query = AudienceQuery(app: app, send)
        let deliveries = SendBatch.Way.deliveries(
            to: query.target(mode), isBesidePeople: query.isBesidePeople(mode))
        let most = send.audience.mostInboxes(mode, perPerson: limits.channelsPerNamedUser)
        if let most, most <= limits.recipientsInRequest { return deliveries }
        let matching = try await count(query.recipients(mode), in: app)
        guard matching > limits.recipientsInRequest else { return deliveries }
        var reachesPeople = true
        if query.isBesidePeople(mode) {
            reachesPeople = try await count("SELECT FROM (\(query.people)) p LIMIT 1", in: app) > 0
        }
        return .fanOut(mode, reachesPeople: reachesPeople, estimate: matching)
    }

    package func reach(
        _ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials
    ) async throws -> (recipients: Int, unknown: [String]) {
        let query = AudienceQuery(app: app.app, audience: audience, deviceTypes: deviceTypes)
        let recipients =
            audience == .everyone
            ? try await number(AudienceQuery.installedChannels(of: deviceTypes, in: app.app), in: app.app)
            : try await count(query.recipients(app.deliveryMode), in: app.app)
        return (recipients, try await unknown(in: audience, of: app.app))
    }

    /// - Complexity: walks what the audience finds.
    private func count(_ recipients: SQL, in app: AppID) async throws -> Int {
        try await number("SELECT count(*) FROM (\(recipients)) t", in: app)
    }

    private func number(_ query: SQL, in app: AppID) async throws -> Int {
        let number = try await faults {
            try await pipelines.walks.row(query, scope: Self.scope(app)) { (row) throws(PostgresError) in
                try row.next(Int64.self)
            }
        }
        return Int(number ?? 0)
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

    init(_ fanOut: FanOut, after start: InboxID? = nil) {
        self.init(
            app: fanOut.id.app, audience: fanOut.audience, deviceTypes: fanOut.deviceTypes,
            reachesPeople: fanOut.reachesPeople, start: start)
    }

    /// The inboxes that a send is stored in: also people's, where the mode says so and the audience is of people.
    func target(_ mode: DeliveryMode) -> SQL {
        switch mode {
        case .devices: devices
        case .person: audience.isOfPeople ? peopleAndDevices : devices
        }
    }

    /// Whether it finds devices besides people, so that a view may hold the message twice.
    func isBesidePeople(_ mode: DeliveryMode) -> Bool {
        mode == .person && audience.isOfPeople && audience.namesTags && reachesPeople
    }

    /// The same inboxes, to be counted or walked: `inbox_id` alone.
    func recipients(_ mode: DeliveryMode) -> SQL {
        switch mode {
        case .devices: deviceInboxes
        case .person: audience.isOfPeople ? peopleAndDeviceInboxes : deviceInboxes
        }
    }
}
