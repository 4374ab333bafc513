import HTTPCore
import InboxModel
import InboxWire
import Platform
import Testing

/// Single sends beside a large one.
@Suite(.timeLimit(.minutes(10))) struct FanOutLoadTests {
    /// A device that asks for changes again and again by its own cursor.
    private struct Poller: Sendable {
        let phone: Phone
        var cursor: String
        var told: [String] = []

        mutating func poll() async throws {
            var hasMore = true
            while hasMore {
                let changes = try await phone.changes(since: cursor, limit: 5)
                #expect(!changes.isReset && changes.removed.isEmpty)
                told += changes.changed.ids
                cursor = changes.cursor
                hasMore = changes.hasMore
            }
        }
    }

    @Test func `rule 3: while fifty thousand get a message, pollers miss no single send`() async throws {
        try await DeviceStage.open { stage in
            try await stage.script("UPDATE apps SET inbox_cap = 10000")
            var pollers: [Poller] = []
            for number in 0..<4 {
                if number == 2 {
                    for _ in 0..<10 { try await stage.crowd(5000, tag: "all") }
                }
                let phone = try await stage.phone(tag: "all")
                pollers.append(Poller(phone: phone, cursor: try await phone.inbox().cursor))
            }
            let all = try await stage.sendAll()
            var sent = [[String]](repeating: [all], count: 4)
            try await stage.withDeliverer(chunk: 500) { deliverer in
                let isOver = Lock(false)
                async let delivery: Void = {
                    defer { isOver.withLock { $0 = true } }
                    try await deliverer.finish()
                }()
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number = (number + 1) % 4
                    let answer = try await stage.send(
                        to: #"{"channel": "\#(pollers[number].phone.channel)"}"#)
                    sent[number].append(try #require(answer["message_id"]?.asText))
                    try await pollers[number].poll()
                    try await pollers[(number + 1) % 4].poll()
                }
                try await delivery
            }
            for (number, var poller) in pollers.enumerated() {
                try await poller.poll()
                #expect(poller.told.count == sent[number].count && Set(poller.told) == Set(sent[number]))
                #expect(Set(try await poller.phone.inbox().ids) == Set(sent[number]))
            }
            #expect(sent.allSatisfy { $0.count > 1 })
            let holders = try await stage.holders(all)
            #expect(holders == 50_004)
        }
    }
}
