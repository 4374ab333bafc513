import Foundation
import InboxModel
import InboxService
import InboxStorage
import Platform
import Postgres
import Testing

/// What becomes of an inbox when its user moves to another channel.
@Suite struct AttachTests {
    @Test func `a user who attaches another channel keeps what it held and gains what the channel held`()
        async throws
    {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let old = try await room.device(in: acme)
            let kept = try await room.send("kept", to: .channel(old), in: acme).message
            let read = try await room.send("read", to: .channel(old), in: acme).message
            let gone = try await room.send("gone", to: .channel(old), in: acme).message
            try await room.mark([read], by: old, as: .read)
            try await room.mark([gone], by: old, as: .delete)
            let fresh = try await room.channel(in: acme)
            let gained = try await room.send("gained", to: .channels([fresh], type: nil), in: acme).message
            let state = try await room.reader(old).state

            try await room.store.attach(fresh, to: old.user)
            let rows = try await room.snapshot(old).deliveries
            #expect(Set(rows.map(\.message)) == [kept, read, gained])
            #expect(rows.first { $0.message == read }?.isUnread == false)
            #expect(try await room.reader(old).state != state)

            let settled = try await room.reader(old).state
            try await room.store.attach(fresh, to: old.user)
            #expect(try await room.reader(old).state == settled, "again is a no-op")
            let later = try await room.send("later", to: .channels([fresh], type: nil), in: acme).message
            #expect(try await room.ids(old).contains(later))
            let astray = try await room.send("astray", to: .channel(old), in: acme).message
            #expect(try await room.ids(old).contains(astray) == false, "the old channel is no longer current")
        }
    }

    @Test func `a message that both inboxes held is deleted if either deleted it`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let old = try await room.device(in: acme)
            let new = try await room.device(in: acme)
            let message = try await room.send(to: .channel(old, new), in: acme).message
            try await room.mark([message], by: old, as: .delete)
            try await room.store.attach(new.channel, to: old.user)
            #expect(try await room.ids(old).isEmpty)
        }
    }

    @Test func `rule 5: of two marks in inboxes that become one the later counts`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let old = try await room.device(in: acme)
            let new = try await room.device(in: acme)
            let direct = try await room.send(to: .channel(old, new), in: acme).message
            let common = try await room.send(to: .everyone, in: acme).message
            try await room.mark([direct], broadcasts: [common], by: old, as: .read)
            try await room.mark([direct], broadcasts: [common], by: new, as: .read)
            try await room.mark([direct], broadcasts: [common], by: new, as: .unread)
            try await room.store.attach(new.channel, to: old.user)
            let snapshot = try await room.snapshot(old)
            #expect(snapshot.deliveries.map(\.isUnread) == [true])
            #expect(snapshot.marks.map(\.isUnread) == [true])
        }
    }

    @Test func `a user who goes to and fro between channels uses up no revisions to speak of`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            let channels = [try await room.channel(in: acme), phone.channel]
            for _ in 0..<3 { _ = try await room.send(to: .channel(phone), in: acme) }
            for _ in 0..<50 {
                for channel in channels { try await room.store.attach(channel, to: phone.user) }
            }
            #expect(try await room.reader(phone).state.deviceRevision.rawValue < 1000)
            #expect(try await room.ids(phone).count == 3)
        }
    }

    @Test func `whoever had the channel before gets an empty inbox, and never shares one`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let one = try await room.device(in: acme)
            let other = try await room.device(in: acme)
            let message = try await room.send(to: .channel(other), in: acme).message
            try await room.store.attach(other.channel, to: one.user)
            #expect(try await room.ids(one) == [message])
            #expect(try await room.ids(other).isEmpty)
            #expect(try await room.reader(one).state.device != (try await room.reader(other)).state.device)

            let third = UserID(app: acme.app, key: 3)
            try await room.store.createUser(
                third, passwordDigest: [UInt8](repeating: 1, count: 32), channel: other.channel,
                deviceType: .ios)
            #expect(try await room.ids(one).isEmpty)
            #expect(try await room.ids(Device(channel: other.channel, user: third)) == [message])
        }
    }

    @Test func `broadcasts stay visible after a move, with their marks`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let old = try await room.device(in: acme)
            let broadcast = try await room.send(to: .everyone, in: acme).message
            try await room.mark([], broadcasts: [broadcast], by: old, as: .read)
            let before = try await room.reader(old).baseline
            let fresh = try await room.channel(in: acme)
            try await room.store.attach(fresh, to: old.user)
            #expect(try await room.reader(old).baseline == before)
            #expect(try await room.snapshot(old).marks.map(\.message) == [broadcast])
        }
    }

    @Test func `unknown and foreign channels are refused and change nothing`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let globex = try await room.app("globex")
            let phone = try await room.device(in: acme)
            let foreign = try await room.device(in: globex)
            let state = try await room.reader(phone).state
            for channel in [ChannelID(UUID()), foreign.channel] {
                await #expect(throws: InboxError.notFound(what: "channel")) {
                    try await room.attach(channel, to: phone)
                }
                await #expect(throws: InboxError.notFound(what: "channel")) {
                    try await room.createUser(in: acme, for: channel)
                }
            }
            #expect(try await room.reader(phone).state == state)
        }
    }

    @Test func `marks, sends and moves at once lose nothing and end in no dead end`() async throws {
        try await StoreRoom.open { room in
            let acme = try await room.app("acme")
            let phone = try await room.device(in: acme)
            var channels = [phone.channel]
            for _ in 0..<3 { channels.append(try await room.channel(in: acme)) }
            let message = try await room.send(to: .channel(phone), in: acme).message
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<24 {
                    let channel = channels[round % channels.count]
                    group.addTask { try await room.attach(channel, to: phone) }
                    group.addTask {
                        _ = try await room.send(to: .channels([channel], type: nil), in: acme)
                    }
                    group.addTask { try await room.mark([message], by: phone, as: .read) }
                }
                try await group.waitForAll()
            }
            let rows = try await room.snapshot(phone).deliveries
            #expect(rows.first { $0.message == message }?.isUnread == false)
            #expect(try room.number("SELECT count(*) FROM deliveries") == 25)
        }
    }
}
