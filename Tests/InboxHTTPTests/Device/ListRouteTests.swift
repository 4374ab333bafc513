import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@Suite struct ListRouteTests {
    @Test func `an empty inbox is 200 with a validator that then earns 304`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let list = try await phone.list()
            #expect(list.status == 200 && list.ids.isEmpty && list.badge == 0)
            let again = await phone.call(
                .get, "/messages/", headers: ["If-Modified-Since": try #require(list.lastModified)])
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    @Test func `a list carries Last-Modified once, in that spelling, and says that it is JSON`() async throws
    {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let names = await phone.call(.get, "/messages").headers.all.map(\.name)
            #expect(names.sorted() == ["Content-Type", "Last-Modified"])
        }
    }

    @Test func `unchanged polls give the same date and write nothing`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            try await stage.backend.send(to: try phone.audience, in: stage.acme)
            let first = try await phone.list()
            try await stage.script("CREATE TABLE seen AS SELECT xmin::text AS x FROM inbox_users")
            for _ in 0..<3 {
                #expect(try await phone.list().lastModified == first.lastModified)
                #expect(try await phone.list(since: first.lastModified).status == 304)
            }
            try await stage.script(
                """
                DO $$ BEGIN
                    ASSERT (SELECT x FROM seen) = (SELECT xmin::text FROM inbox_users);
                END $$
                """)
        }
    }

    @Test func `every change within one second is a 200 with another date`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            var date = try await phone.list().lastModified
            var dates: Set = [date]
            for round in 0..<50 {
                let message = try await stage.backend.send(to: try phone.audience, in: stage.acme)
                let list = try await phone.list(since: date)
                #expect(list.status == 200 && list.ids.contains(message), "round \(round)")
                date = list.lastModified
                #expect(dates.insert(date).inserted)
                if round % 2 == 0 { #expect(await phone.batch("unread", [message]).status == 200) }
                if round % 2 == 1 { #expect(await phone.batch("delete", [message]).status == 200) }
                let after = try await phone.list(since: date)
                #expect(after.status == 200)
                #expect(after.ids.contains(message) == (round % 2 == 0) && !after.unread.contains(message))
                date = after.lastModified
                #expect(dates.insert(date).inserted)
                #expect(try await phone.list(since: date).status == 304)
            }
        }
    }

    @Test func `deleting everything is a 200 with an empty list, and no old date comes back`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let empty = try await phone.list()
            for _ in 0..<3 { try await stage.backend.send(to: try phone.audience, in: stage.acme) }
            let full = try await phone.list(since: empty.lastModified)
            #expect(await phone.batch("delete", full.ids).status == 200)
            let after = try await phone.list(since: full.lastModified)
            #expect(after.status == 200 && after.ids.isEmpty)
            #expect(Set([empty.lastModified, full.lastModified, after.lastModified]).count == 3)
            #expect(try await phone.list(since: empty.lastModified).status == 200)
        }
    }

    @Test func `a date is compared as an instant, however an old client writes it`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let date = try #require(try await phone.list().lastModified)
            let rewritten = date.replacing("GMT", with: "+0000")
            #expect(try await phone.list(since: rewritten).status == 304)
            for wrong in [
                "", "0", "yesterday", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
            ] {
                #expect(try await phone.list(since: wrong).status == 200)
            }
        }
    }

    @Test func `a date of another user earns no 304, and the answer's is later`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let date = try #require(try await phone.list().lastModified)
            let other = try await Phone.register(stage)
            let list = try await other.list(since: date)
            #expect(list.status == 200 && list.lastModified != date)
        }
    }

    @Test func `an expired message is gone from the second of its expiry, without any write`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: try phone.audience, in: stage.acme) {
                $0.draft.expiry = .after(seconds: 1000)
            }
            let list = try await phone.list()
            #expect(list.ids == [message] && list.badge == 1)
            #expect(await phone.body(message).status == 200)
            try await stage.advance(seconds: 1001)
            let after = try await phone.list(since: list.lastModified)
            #expect(after.status == 200 && after.ids.isEmpty && after.badge == 0)
            #expect(await phone.body(message).status == 404)
            #expect(try await phone.list(since: after.lastModified).status == 304)
        }
    }

    @Test func `broadcasts and their recalls are in the very next list`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            let message = try await stage.backend.send(to: .everyone, in: stage.acme)
            let list = try await phone.list()
            #expect(list.ids == [message] && list.unread == [message])
            #expect(await phone.body(message).status == 200)
            let late = try await Phone.register(stage)
            #expect(try await late.list().ids == [])
            #expect(await late.body(message).status == 404)
            try await stage.backend.recall(message, in: stage.acme)
            let after = try await phone.list(since: list.lastModified)
            #expect(after.status == 200 && after.ids == [])
            #expect(await phone.body(message).status == 404)
        }
    }

    @Test func `messages of one moment have one order on every call, newest first`() async throws {
        try await DeviceStage.open { stage in
            let phone = try await Phone.register(stage)
            for _ in 0..<20 { try await stage.backend.send(to: try phone.audience, in: stage.acme) }
            try await stage.script("UPDATE messages SET sent_ms = 1900000000000")
            try await stage.script("UPDATE deliveries SET sent_ms = 1900000000000")
            let ids = try await phone.list().ids
            #expect(ids.count == 20 && ids == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            let again = try await DeviceStage.sameDatabase(phone)
            #expect(again == ids)
        }
    }

    @Test func `a message shows only on devices of its types`() async throws {
        try await DeviceStage.open { stage in
            let iPhone = try await Phone.register(stage)
            let android = try await Phone.register(stage, nil, .android)
            let message = try await stage.backend.send(to: .everyone, in: stage.acme) {
                $0.deviceTypes = DeviceTypes(.android)
            }
            #expect(try await iPhone.list().ids == [])
            #expect(await iPhone.body(message).status == 404)
            #expect(try await android.list().ids == [message])
        }
    }
}

extension DeviceStage {
    /// The ids as another answer gives them, made anew.
    static func sameDatabase(_ phone: Phone) async throws -> [String] {
        #expect(await phone.batch("unread", [try await phone.list().ids[0]]).status == 200)
        return try await phone.list().ids
    }
}
