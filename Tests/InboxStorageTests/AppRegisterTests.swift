import InboxModel
import InboxService
import InboxStorage
import Postgres
import TestSupport
import Testing

@Suite struct AppRegisterTests {
    @Test func `a deleted app leaves nothing behind, and takes nothing of another`() async throws {
        try await withDatabase(.inbox) { url in
            try await StoreRoom.open(url: url) { room in
                let acme = try await room.app("acme")
                let globex = try await room.app("globex")
                for app in [acme, globex] {
                    let phone = try await room.device(in: app, tags: ["vip"])
                    try await room.login(phone, "ana", in: app)
                    let broadcast = try await room.send(to: .everyone, in: app).message
                    try await room.send(to: .channel(phone), in: app)
                    try await room.mark([], broadcasts: [broadcast], by: phone, as: .read)
                }
                try AppRegister(AdminConnection(url)).delete(acme.app)
                #expect(try await room.store.app(acme.key) == nil)
                for table in room.tables {
                    #expect(try room.count(table, of: acme.app) == 0, "\(table)")
                    #expect(try room.count(table, of: globex.app) > 0, "\(table)")
                }
            }
        }
    }
}

extension StoreRoom {
    /// Tables that hold what an app has.
    var tables: [String] {
        [
            "inboxes", "channels", "named_users", "inbox_users", "inbox_tags", "messages", "deliveries",
            "app_log",
        ]
    }

    func count(_ table: String, of app: AppID) throws -> Int64 {
        try script(
            "CREATE OR REPLACE VIEW counted AS SELECT count(*) AS n FROM \(table) WHERE app_id = \(app.rawValue)"
        )
        return try number("SELECT n FROM counted")
    }
}
