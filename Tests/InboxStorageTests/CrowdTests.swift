import InboxModel
import InboxService
import Postgres
import Testing

/// A person with more channels than the limit.
@Suite struct CrowdTests {
    @Test func `the 101st channel of a person logs the longest unseen one out, and the audit says so`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            var devices: [Device] = []
            for _ in 0..<100 {
                devices.append(try await room.device(in: acme))
                try await room.login(devices[devices.count - 1], "ana", in: acme)
            }
            let logouts: SQL = "SELECT count(*) FROM audit WHERE action = 'channel.logout'"
            #expect(try room.number(logouts) == 0)
            let last = try await room.device(in: acme)
            try await room.login(last, "ana", in: acme)
            let channel = devices[0].channel.text
            let told: SQL = """
                SELECT count(*) FROM audit JOIN apps USING (app_id)
                WHERE action = 'channel.logout' AND actor = 'server' AND name = 'acme' AND subject = \(channel)
                    AND detail = '{"named_user_id": "ana", "limit": "channels_per_named_user"}'
                """
            #expect(try room.number(logouts) == 1 && room.number(told) == 1)
            // Who comes again crowds nobody out.
            try await room.login(last, "ana", in: acme)
            #expect(try room.number(logouts) == 1)
        }
    }
}
