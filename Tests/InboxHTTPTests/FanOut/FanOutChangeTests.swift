import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxStorage
import InboxWire
import Postgres
import TestSupport
import Testing

/// Rule 9: what changes while a message is on its way.
@Suite struct FanOutChangeTests {
    @Test func `rule 10: a recall in the middle takes it from all, and no chunk brings it back`() async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            let first = try await stage.phone(tag: "all")
            try await stage.crowd(20, tag: "all")
            let last = try await stage.phone(tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take(2)
                #expect(try await first.list().ids == [id])
                let recall = await stage.call(
                    .delete, "/v1/messages/\(id)",
                    DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret))
                #expect(recall.status == 204)
                #expect(try await first.list().ids == [])
                try await deliverer.finish()
            }
            #expect(try await first.list().ids == [])
            #expect(try await last.list().ids == [])
            let shown = try await stage.shown(id)
            #expect(shown["state"]?.asText == "recalled" && shown["progress"] == nil)
            #expect(shown["recipients"]?.integer == 10)
            #expect(await first.call(.get, "/messages/message/\(id)/body").status == 404)
        }
    }

    @Test func `rule 11: a message that expires on its way is delivered to nobody else`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                try await stage.advance(seconds: 366 * 86_400)
                try await deliverer.finish()
            }
            let (holders, waiting) = try await (
                stage.holders(id), stage.number("SELECT count(*) FROM fanouts")
            )
            #expect(holders == 5 && waiting == 0)
            #expect(try await stage.shown(id)["state"]?.asText == "expired")
        }
    }

    @Test func `rule 9: who loses the tag before its chunk does not get it, and who gains it may`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            let early = try await stage.phone()
            try await stage.crowd(20, tag: "all")
            let loses = try await stage.phone(tag: "all")
            let gains = try await stage.phone()
            let id = try await stage.sendAll()
            // A look ahead of 8 candidates: the last ones are read late, after all changes.
            try await stage.withDeliverer(chunk: 4, readAhead: 8) { deliverer in
                try await deliverer.take()
                try await stage.change(loses, tag: "all", isRemoved: true)
                try await stage.change(gains, tag: "all")
                try await stage.change(early, tag: "all")
                try await deliverer.finish()
            }
            #expect(try await loses.list().ids == [])
            #expect(try await gains.list().ids == [id], "found behind the position")
            #expect(try await early.list().ids == [], "the position had passed it")
            let holders = try await stage.holders(id)
            #expect(holders == 21)
        }
    }

    @Test func `rule 9: whose tag goes after its candidates were read does not get it either`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let loses = try await stage.phone(tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                try await stage.change(loses, tag: "all", isRemoved: true)
                try await deliverer.finish()
            }
            let holders = try await stage.holders(id)
            #expect(holders == 20)
            #expect(try await loses.list().ids == [])
        }
    }

    @Test
    func `rule 9: a device gets it by its person only while that is logged in, by its own tag in any case`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            // By name: who they are when it is sent, then when their chunk comes, and whether they have the tag.
            let devices: [(sent: String?, then: String?, tag: Bool, gets: Bool)] = [
                ("ana", "ana", false, true), ("ana", nil, false, false), ("ana", "ben", false, false),
                ("ana", "cleo", false, true), (nil, "ana", false, true), ("ana", nil, true, true),
                ("ana", "ben", true, true), (nil, "ben", true, true), (nil, nil, true, true),
                ("ben", nil, false, false),
            ]
            var phones: [Phone] = []
            for device in devices {
                let phone = try await stage.phone(tag: device.tag ? "all" : nil)
                try await stage.login(phone, device.sent)
                phones.append(phone)
            }
            try await stage.login(try await stage.phone(), "cleo")
            for person in ["ana", "cleo"] {
                let tagged = await stage.call(
                    .post, "/api/named_users/tags",
                    DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret),
                    #"{"audience": {"named_user_id": "\#(person)"}, "add": {"device": "all"}}"#)
                try #require(tagged.status == 200, "\(tagged.text)")
            }
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                for (phone, device) in zip(phones, devices) { try await stage.login(phone, device.then) }
                try await deliverer.finish()
            }
            for (number, (phone, device)) in zip(phones, devices).enumerated() {
                let holds = try await phone.list().ids == [id]
                // A device that did not match when its candidates were read changed meanwhile: it may get it or not.
                let changed = device.sent == nil && !device.tag
                #expect(holds == device.gets || changed, "device \(number)")
            }
        }
    }

    @Test func `rule 3: single sends meanwhile are never skipped by a poller`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            var pollers: [Poller] = []
            for number in 0..<8 {
                if number == 4 { try await stage.crowd(200, tag: "all") }
                pollers.append(Poller(phone: try await stage.phone(tag: "all")))
            }
            let all = try await stage.sendAll()
            var singles: [String] = []
            try await stage.withDeliverer(chunk: 20) { deliverer in
                for round in 0..<16 {
                    let audience = #"{"channel": "\#(pollers[round % 8].phone.channel)"}"#
                    let current = pollers
                    async let chunk: Void = deliverer.take()
                    async let single = stage.send(to: audience)
                    async let polled = Poller.polled(current)
                    let answer: JSON
                    (_, answer, pollers) = try await (chunk, single, polled)
                    singles.append(try #require(answer["message_id"]?.asText))
                }
                try await deliverer.finish()
            }
            pollers = try await Poller.polled(pollers)
            for (number, poller) in pollers.enumerated() {
                #expect(poller.seen == [all, singles[number], singles[number + 8]])
            }
            let rows = try await stage.number("SELECT count(*) FROM deliveries")
            #expect(rows == 208 + 16)
        }
    }

    @Test func `the cap holds: what newer messages have pushed out before its chunk comes is not shown`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 2")
            try await stage.crowd(20, tag: "all")
            let full = try await stage.phone(tag: "all")
            let roomy = try await stage.phone(tag: "all")
            let id = try await stage.sendAll()
            var newer: [String] = []
            for _ in 0..<3 {
                let sent = try await stage.send(to: #"{"channel": "\#(full.channel)"}"#)
                newer.insert(try #require(sent["message_id"]?.asText), at: 0)
            }
            let before = try await stage.send(to: #"{"channel": "\#(roomy.channel)"}"#)
            try await stage.withDeliverer(chunk: 5) { try await $0.finish() }
            #expect(try await full.list().ids == Array(newer.prefix(2)))
            #expect(try await roomy.list().ids == [try #require(before["message_id"]?.asText), id])
            let over = try await stage.send(to: #"{"channel": "\#(roomy.channel)"}"#)
            #expect(try await roomy.list().ids.first == over["message_id"]?.asText)
            #expect(try await roomy.list().ids.count == 2)
        }
    }

    @Test
    func `rule 4: a message that moved ahead with a device's inbox comes once, and deleted stays deleted`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            let phone = try await stage.phone(tag: "all")
            try await stage.crowd(20, tag: "all")
            let later = try await Phone.newChannel(stage, stage.acme)
            try await stage.script(
                """
                INSERT INTO inbox_tags (app_id, tag_group, tag, inbox_id)
                SELECT app_id, 'device', 'all', inbox_id FROM channels WHERE channel_id = '\(later)'
                """)
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                #expect(try await phone.list().ids == [id])
                #expect(await phone.batch("delete", [id]).status == 200)
                try await stage.backend.attach(later, to: phone)
                try await deliverer.finish()
            }
            #expect(try await phone.list().ids == [])
            let (holders, waiting) = try await (
                stage.holders(id), stage.number("SELECT count(*) FROM fanouts")
            )
            #expect(holders == 21 && waiting == 0)
        }
    }

    @Test func `devices and people that are gone by then are passed over`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                try await stage.script(
                    """
                    UPDATE channels SET uninstalled_at = now()
                    WHERE inbox_id = (SELECT max(inbox_id) FROM channels);
                    DELETE FROM inboxes WHERE inbox_id = (SELECT max(inbox_id) - 1 FROM channels)
                    """)
                try await deliverer.finish()
            }
            let holders = try await stage.holders(id)
            #expect(holders == 18)
            #expect(try await stage.shown(id)["state"]?.asText == "sent")
        }
    }

    @Test func `rule 12: an app that is deleted on the way leaves nothing, and others' go on`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            _ = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                try await onDatabaseThread { [url = stage.url] in
                    let register = AppRegister(try AdminConnection(url))
                    try register.delete(try register.app(named: "acme").app)
                }
                try await deliverer.finish()
            }
            let (held, waiting) = try await (
                stage.number("SELECT count(*) FROM deliveries"), stage.number("SELECT count(*) FROM fanouts")
            )
            #expect(held == 0 && waiting == 0)
        }
    }
}

/// A device that asks for its list again and again by the date of the last one.
private struct Poller: Sendable {
    let phone: Phone
    private(set) var seen: Set<String> = []
    private var date: String?

    init(phone: Phone) { self.phone = phone }

    static func polled(_ pollers: [Poller]) async throws -> [Poller] {
        var pollers = pollers
        for index in pollers.indices { try await pollers[index].poll() }
        return pollers
    }

    private mutating func poll() async throws {
        let list = try await phone.list(since: date)
        guard list.status == 200 else { return }
        date = list.lastModified
        let ids = Set(list.ids)
        #expect(seen.isSubset(of: ids), "nothing that was shown is missing")
        seen = ids
    }
}
