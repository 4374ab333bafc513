import Foundation
import InboxModel
import InboxService
import InboxWire
import Platform
import Testing

/// The merge rules that clients share with the server, held against the server's own view: which order, which time.
@Suite struct MergeVectorTests {
    struct Vector: Decodable, CustomTestStringConvertible {
        var rule: String
        var held: [Held]
        var marks: [Nothing]
        var pages: [Nothing]
        var now: String
        var shown: [String]
        var unread_count: Int

        struct Held: Decodable {
            var rows: [Row]
        }

        struct Row: Decodable {
            var message_id: String
            var sent: String
            var expires: String?
            var unread: Bool
        }

        /// Something that must not be there.
        struct Nothing: Decodable {}

        var testDescription: String { rule }
        /// Whether nothing happens in it: what is held is shown.
        var isStill: Bool { held.count == 1 && marks.isEmpty && pages.isEmpty }
    }

    private struct File: Decodable {
        var vectors: [Vector]
    }

    static let still: [Vector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Fixtures/client-merge.json")
        guard let data = try? Data(contentsOf: file),
            let vectors = try? JSONDecoder().decode(File.self, from: data).vectors.filter(\.isStill)
        else { preconditionFailure("the vectors are missing or have another form") }
        return vectors
    }()

    @Test(arguments: still) func `the server's view is in the order of the rules, and ends when they say`(
        vector: Vector
    ) throws {
        var world = ViewWorld()
        world.reader = ViewWorld.reader(now: try instant(vector.now))
        for row in vector.held[0].rows {
            let message = try #require(MessageID(text: row.message_id.utf8))
            world.deliveries.append(DeliveryRow(message: message, isUnread: row.unread))
            let expires = try row.expires.map(instant) ?? Instant(seconds: 1_900_000_000)
            world.facts[message] = MessageFacts(
                sent: try instant(row.sent), expires: expires, deviceTypes: .all)
        }
        #expect(world.view.rows.map(\.message.text) == vector.shown)
        #expect(world.view.unreadCount == vector.unread_count)
    }

    private func instant(_ text: String) throws -> Instant {
        try #require(CalendarTime(text: text)?.instant)
    }

    @Test func `there are vectors without events`() { #expect(MergeVectorTests.still.count >= 5) }
}
