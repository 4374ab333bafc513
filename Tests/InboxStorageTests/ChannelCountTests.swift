import Foundation
import InboxModel
import InboxService
import InboxStorage
import Postgres
import TestSupport
import Testing

/// How many channels there are is kept beside them, so that a broadcast to a million costs no walk.
@Suite struct ChannelCountTests {
    @Test func `a broadcast reaches the channels that are installed when it is sent, by type`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            try await #expect(room.reached(in: acme) == 0, "an app without channels")
            _ = try await room.device(in: globex)
            let phone = try await room.device(in: acme, .ios)
            _ = try await room.device(in: acme, .android)
            _ = try await room.channel(in: acme)
            try await #expect(room.reached(in: acme) == 3)
            try await #expect(room.reached(.init(.ios), in: acme) == 2)
            try await #expect(room.reached([.init(.ios), .init(.web)], in: acme) == 2)
            try room.script(
                "UPDATE channels SET uninstalled_at = now() WHERE channel_id = '\(phone.channel.text)'")
            try await #expect(room.reached(in: acme) == 2)
            try await #expect(room.reached(.init(.ios), in: acme) == 1)
            try room.script(
                "UPDATE channels SET device_type = 8 WHERE channel_id = '\(phone.channel.text)'")
            try await #expect(room.reached(.init(.web), in: acme) == 0, "uninstalled as another type")
            #expect(try await room.store.update(phone.channel, Registration(deviceType: nil), in: acme.app))
            try await #expect(room.reached(.init(.web), in: acme) == 1, "installed again")
            try room.script("UPDATE channels SET device_type = 2 WHERE device_type = 8")
            try await #expect(room.reached(.init(.android), in: acme) == 2)
            try room.script("DELETE FROM channels WHERE channel_id = '\(phone.channel.text)'")
            try await #expect(room.reached(in: acme) == 2)
            try await #expect(room.reached(in: globex) == 1)
            try room.expectTrueCounts()
        }
    }

    @Test func `channels that come by the thousand in one statement are counted`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            try room.fill(acme, channels: 3000)
            try await #expect(room.reached(in: acme) == 3000)
            try await #expect(room.reached(.init(.android), in: acme) == 1500)
            try room.expectTrueCounts()
        }
    }

    @Test func `an app that is deleted takes its counts along`() async throws {
        try await withDatabase(.inbox) { url in
            try await StoreRoom.open(url: url) { room in
                let acme = try await room.app("acme")
                try room.fill(acme, channels: 20)
                try AppRegister(AdminConnection(url)).delete(acme.app)
                #expect(try room.number("SELECT count(*) FROM channel_counts") == 0)
            }
        }
    }

    @Test func `registrations of many connections at once are all counted`() async throws {
        try await withDatabase(.inbox) { url in
            try await StoreRoom.open(url: url) { room in
                let acme = try await room.app("acme")
                let audit = room.audit
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            try await StoreRoom.open(url: url, audit: audit) { try await $0.churn(in: acme) }
                        }
                    }
                    try await group.waitForAll()
                }
                try await #expect(room.reached(in: acme) == 6 * 20)
                try room.expectTrueCounts()
            }
        }
    }
}

extension StoreRoom {
    /// Recipients of a broadcast.
    fileprivate func reached(_ types: DeviceTypes = .all, in app: AppCredentials) async throws -> Int {
        let reach = try await store.reach(.everyone, types, for: app).recipients
        let recipients = try await send(to: .everyone, in: app, types: types).recipients
        #expect(reach == recipients, "a dry run says the same")
        return recipients
    }

    /// Registers 30 channels, 10 of which leave again.
    fileprivate func churn(in app: AppCredentials) async throws {
        for number in 0..<30 {
            let channel = ChannelID(UUID())
            let type = DeviceType.allCases[number % DeviceType.allCases.count]
            #expect(try await store.register(channel, Registration(deviceType: type), in: app.app))
            guard number % 3 == 0 else { continue }
            try script("UPDATE channels SET uninstalled_at = now() WHERE channel_id = '\(channel.text)'")
        }
    }

    /// Makes channels by one statement, every second one an Android device.
    fileprivate func fill(_ app: AppCredentials, channels: Int) throws {
        try script(
            """
            WITH fresh AS (
                INSERT INTO inboxes (app_id, device_types, baseline)
                SELECT \(app.app.rawValue), 1 + i % 2, 0 FROM generate_series(1, \(channels)) i
                RETURNING app_id, inbox_id, device_types
            )
            INSERT INTO channels (app_id, channel_id, inbox_id, device_type)
            SELECT app_id, gen_random_uuid(), inbox_id, device_types FROM fresh
            """)
    }

    /// Every kept number is what a count finds.
    fileprivate func expectTrueCounts() throws {
        let wrong = try number(
            """
            SELECT count(*)
            FROM (
                SELECT app_id, device_type, count(*) AS channels FROM channels
                WHERE uninstalled_at IS NULL GROUP BY app_id, device_type) c
            FULL JOIN (
                SELECT app_id, device_type, sum(channels) AS channels FROM channel_counts
                GROUP BY app_id, device_type) k USING (app_id, device_type)
            WHERE coalesce(c.channels, 0) <> coalesce(k.channels, 0)
            """)
        #expect(wrong == 0)
    }
}
