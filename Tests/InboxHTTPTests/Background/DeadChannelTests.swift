import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

/// Devices that nobody has any more, and such as return.
@Suite struct DeadChannelTests {
    @Test(arguments: [("uninstalled_at", 30), ("last_registration", 400)])
    func `a channel goes with its inbox, user, tags and deliveries, and is then as unknown as any`(
        column: String, days: Int
    ) async throws {
        try await DeviceStage.open { stage in
            let (phone, sibling) = (try await Phone.register(stage), try await Phone.register(stage))
            for phone in [phone, sibling] {
                #expect(await phone.login("ana").status == 200)
                try await stage.backend.send(to: try phone.audience, in: stage.acme)
            }
            try await stage.script(
                """
                INSERT INTO inbox_tags SELECT app_id, 'g', 't', inbox_id FROM channels;
                INSERT INTO client_events (app_id, inbox_id, event_id, type, received_at)
                SELECT app_id, inbox_id, 'e', 'opened', 'infinity' FROM channels
                """)
            func age(_ seconds: Int) async throws {
                try await stage.script(
                    """
                    UPDATE channels SET \(column) = statement_timestamp() - interval '\(days) days \(seconds) seconds'
                    WHERE channel_id = '\(phone.channel)';
                    UPDATE installation SET retention_begun = NULL, retention_until = NULL, retention_ended = NULL
                    """)
            }
            try await age(-60)
            #expect(try await stage.clean() == [])
            #expect(try await phone.list().status == 200)

            try await age(60)
            #expect(try await stage.clean() == ["retention: purged 1 channels, 3 rows of dead inboxes"])
            #expect(
                try await stage.rows(
                    of: "channels", "inboxes", "inbox_users", "inbox_tags", "deliveries", "client_events",
                    "named_users")
                    == [1, 2, 1, 1, 1, 1, 1], "what the sibling and the person have stays")
            #expect(try await sibling.list().ids.count == 1)

            #expect(await phone.call(.get, "/messages/").status == 401)
            let update = await stage.call(
                .put, "/api/channels/\(phone.channel)", phone.app.basic, #"{"channel":{"device_type":"ios"}}"#
            )
            #expect(update.status == 409)
            #expect(try await Phone.register(stage).list().ids == [], "it registers anew")
        }
    }

    @Test func `a device that registers before the clean-up lives on`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
            try await stage.script(
                "UPDATE channels SET uninstalled_at = 'epoch', last_registration = 'epoch'")
            let update = await stage.call(
                .put, "/api/channels/\(phone.channel)", phone.app.basic, #"{"channel":{"device_type":"ios"}}"#
            )
            #expect(update.status == 200)
            #expect(try await stage.clean() == [])
            #expect(try await phone.list().ids == [message])
        }
    }

    @Test func `an inbox that a user has left goes, and a user without a channel stays`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let made = await stage.call(.post, "/api/user/", stage.acme.basic, "{}")
            let other = await stage.call(.post, "/api/user/", stage.acme.basic, "{}")
            #expect(made.status == 201 && other.status == 201)
            let user = try #require(try made.json["user_id"]?.asText)
            let password = try #require(try made.json["password"]?.asText)
            let attached = await stage.call(
                .post, "/api/user/\(user)", DeviceStage.App.basic(user, password),
                #"{"ios_channels":{"add":["\#(phone.channel)"]}}"#)
            #expect(attached.status == 200)
            #expect(try await stage.rows(of: "inboxes", "inbox_users") == [4, 3])
            #expect(try await stage.clean() == ["retention: purged 1 rows of dead inboxes"])
            #expect(try await stage.rows(of: "inboxes", "inbox_users") == [3, 3])
        }
    }

    @Test func `channels are looked for once a day, everything else every hour, by one instance`()
        async throws
    {
        try await DeviceStage.open { stage in
            try await stage.clean()
            _ = try await Phone.register(stage)
            try await stage.script("UPDATE channels SET uninstalled_at = 'epoch'")
            #expect(try await stage.clean() == [])
            let today =
                "SET retention_begun = 'epoch', retention_until = 'epoch', retention_ended = statement_timestamp()"
            try await stage.script("UPDATE installation \(today)")
            #expect(try await stage.clean() == [])
            try await stage.script(
                "UPDATE installation SET retention_begun = 'epoch', retention_ended = 'epoch'")
            async let one = stage.clean()
            async let other = stage.clean()
            let logs = try await one + other
            #expect(logs == ["retention: purged 1 channels, 1 rows of dead inboxes"])
        }
    }
}
