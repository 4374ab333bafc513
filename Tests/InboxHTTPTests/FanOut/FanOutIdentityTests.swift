import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Postgres
import Testing

/// People who log out or change places while they are being written to.
@Suite struct FanOutIdentityTests {
    /// A phone and the person who was logged in when the send began.
    private struct Place: Sendable {
        let phone: Phone
        let person: String
        /// Of the device's inbox after that person was gone; nothing while the person stays.
        var left: Int?
    }

    @Test func `rule 9: nobody gets another's message by a log-out or switch during a fan-out`() async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .devices) { stage in
            let places = try await Self.places(24, on: stage)
            let sent = try await stage.send(to: #"{"tag":"all","group":"plan"}"#)
            #expect(sent["state"]?.asText == "delivering")
            let id = try #require(sent["message_id"]?.asText)
            let after = try await Self.move(places, on: stage)
            for place in after {
                let name = place.phone.channel
                let added = try await stage.number(
                    """
                    SELECT coalesce((
                        SELECT d.added FROM deliveries d JOIN channels c USING (app_id, inbox_id)
                        WHERE c.channel_id = \(name)::uuid AND d.message_id = \(id)), 0)
                    """)
                if let left = place.left {
                    // Where it came before the person was gone it is the device's own, as in any such app.
                    #expect(added < left, "\(place.person) was gone at \(left)")
                } else {
                    #expect(added > 0, "\(place.person) stayed")
                }
                #expect(try await place.phone.inbox().ids == (added > 0 ? [id] : []))
            }
            #expect(try await stage.shown(id)["state"]?.asText == "sent")
        }
    }

    @Test func `rule 7: whoever logs in during a fan-out to persons sees nothing of who was there before`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .person) { stage in
            let places = try await Self.places(24, on: stage)
            let people = places.map { "\"\($0.person)\"" }.joined(separator: ",")
            let sent = try await stage.send(to: #"{"named_user":[\#(people)]}"#)
            #expect(sent["state"]?.asText == "delivering")
            let id = try #require(sent["message_id"]?.asText)
            let after = try await Self.move(places, on: stage)
            for place in after {
                let isThere = place.left == nil
                #expect(try await place.phone.inbox().ids == (isThere ? [id] : []), "\(place.person)")
                #expect(try await place.phone.list().ids == (isThere ? [id] : []), "\(place.person)")
                try await stage.login(place.phone, place.person)
                #expect(try await place.phone.inbox().ids == [id], "\(place.person) is back")
            }
        }
    }

    @Test
    func `rule 7: whoever logs in during a fan-out to a tag of people sees nothing of who was there before`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .person) { stage in
            let places = try await Self.places(24, on: stage)
            // Every fourth phone carries the tag itself, and then has the message whoever is logged in.
            let isTagged = { (index: Int) in index.isMultiple(of: 4) }
            for index in places.indices where isTagged(index) {
                try await stage.tag(places[index].phone, "all")
            }
            let sent = try await stage.send(to: #"{"tag":"all","group":"plan"}"#)
            #expect(sent["state"]?.asText == "delivering" && sent["estimate"]?.integer == 30)
            let id = try #require(sent["message_id"]?.asText)
            for (index, place) in try await Self.move(places, on: stage).enumerated() {
                let isShown = place.left == nil || isTagged(index)
                #expect(try await place.phone.inbox().ids == (isShown ? [id] : []), "\(place.person)")
                #expect(try await place.phone.list().ids == (isShown ? [id] : []), "\(place.person)")
                try await stage.login(place.phone, place.person)
                #expect(try await place.phone.inbox().ids == [id], "\(place.person) is back")
                try await stage.login(place.phone, nil)
                #expect(try await place.phone.inbox().ids == (isTagged(index) ? [id] : []))
            }
            #expect(try await stage.holders(id) == 30)
            #expect(try await stage.shown(id)["state"]?.asText == "sent")
        }
    }

    @Test func `rule 9: a device with the tag gets it although its person is tagged after their turn`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .person) { stage in
            try await stage.tag(people: ["ana"], "none")
            let others = (0..<12).map { "p\($0)" }
            try await stage.tag(people: others, "all")
            let phone = try await stage.phone()
            try await stage.tag(phone, "all")
            try await stage.login(phone, "ana")
            let id = try #require(
                try await stage.send(to: #"{"tag":"all","group":"plan"}"#)["message_id"]?.asText)
            try await stage.withDeliverer(chunk: 4) { deliverer in
                try await deliverer.take()
                try await stage.tag(people: ["ana"], "all")
                try await deliverer.finish()
            }
            #expect(try await phone.inbox().ids == [id])
            #expect(try await stage.holders(id) == 13)
        }
    }

    @Test
    func `rule 9: a person who is tagged while a message to devices alone is under way gets nothing by it`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .person) { stage in
            let (bare, last) = try await (stage.phone(), stage.phone())
            try await stage.crowd(12, tag: "all", group: "plan")
            let own = try await stage.phone()
            try await stage.tag(own, "all")
            for phone in [bare, own] { try await stage.login(phone, "ana") }
            let id = try #require(
                try await stage.send(to: #"{"tag":"all","group":"plan"}"#)["message_id"]?.asText)
            try await stage.withDeliverer(chunk: 4) { deliverer in
                try await deliverer.take()
                try await stage.tag(people: ["ana"], "all")
                try await deliverer.finish()
            }
            #expect(try await stage.holders(id) == 13)
            #expect(try await stage.number("SELECT count(*) FROM deliveries WHERE beside_people") == 0)
            #expect(try await own.inbox().holders == [id: "device"])
            for phone in [bare, last] { #expect(try await phone.inbox().ids == []) }
        }
    }

    @Test func `rule 9: a fan-out of a version that knew only devices there goes on as it began`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .person) { stage in
            try await stage.tag(people: ["ana"], "all")
            try await stage.crowd(12, tag: "all", group: "plan")
            let phone = try await stage.phone()
            try await stage.login(phone, "ana")
            let id = try #require(
                try await stage.send(to: #"{"tag":"all","group":"plan"}"#)["message_id"]?.asText)
            try await stage.script("UPDATE fanouts SET reaches_people = NULL")
            try await stage.withDeliverer(chunk: 4) { try await $0.finish() }
            // The person's inbox, whose turn is before the phone's, may have been passed already.
            #expect(try await phone.inbox().holders == [id: "device"])
            #expect(try await stage.holders(id) == 13)
        }
    }

    @Test func `rule 9: a person who loses the tag before their turn does not get it`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few, delivery: .person) { stage in
            let people = (0..<12).map { "p\($0)" }
            try await stage.tag(people: people, "all")
            let phone = try await stage.phone()
            try await stage.login(phone, "p11")
            let id = try #require(
                try await stage.send(to: #"{"tag":"all","group":"plan"}"#)["message_id"]?.asText)
            try await stage.withDeliverer(chunk: 4) { deliverer in
                try await deliverer.take()
                try await stage.tag(people: ["p11"], "all", isRemoved: true)
                try await deliverer.finish()
            }
            #expect(try await phone.inbox().ids == [])
            #expect(try await stage.holders(id) == 11)
        }
    }

    /// Phones with a person each; all of these carry a tag.
    private static func places(_ count: Int, on stage: DeviceStage) async throws -> [Place] {
        var places: [Place] = []
        for number in 0..<count {
            let phone = try await stage.phone()
            try await stage.login(phone, "p\(number)")
            places.append(Place(phone: phone, person: "p\(number)"))
        }
        try await stage.tag(people: places.map(\.person), "all")
        return places
    }

    /// Delivers chunk by chunk while every phone but each third loses its person to nobody or to a stranger.
    private static func move(_ places: [Place], on stage: DeviceStage) async throws -> [Place] {
        var after = places
        try await stage.withDeliverer(chunk: 3) { deliverer in
            for step in places.indices {
                // From both ends: some before their chunk, some with it, some behind it.
                let index = step.isMultiple(of: 2) ? step / 2 : places.count - 1 - step / 2
                async let chunk: Void = deliverer.take(step.isMultiple(of: 2) ? 1 : 0)
                if !index.isMultiple(of: 3) {
                    let phone = places[index].phone
                    try await stage.login(phone, index.isMultiple(of: 2) ? nil : "stranger-\(index)")
                    after[index].left = try await stage.number(
                        """
                        SELECT revision FROM inboxes JOIN channels USING (app_id, inbox_id)
                        WHERE channel_id = \(phone.channel)::uuid
                        """)
                }
                try await chunk
            }
            try await deliverer.finish()
        }
        return after
    }
}
