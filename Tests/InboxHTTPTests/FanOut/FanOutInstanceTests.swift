import Foundation
import HTTPCore
import InboxHTTP
import InboxModel
import InboxWire
import Postgres
import TestSupport
import Testing

/// Rule 9: a fan-out survives whoever delivers it, and has one runner at a time.
@Suite struct FanOutInstanceTests {
    @Test func `rule 9: two runners at once deliver each chunk once`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(300, tag: "all")
            let ids = [try await stage.sendAll(), try await stage.sendAll(), try await stage.sendAll()]
            try await stage.withDeliverer(chunk: 7) { one in
                try await stage.withDeliverer(chunk: 9) { other in
                    async let first: Void = one.finish()
                    async let second: Void = other.finish()
                    _ = try await (first, second)
                    // Whoever was forestalled by the other has nothing left to do.
                    try await one.finish()
                    try await other.finish()
                }
            }
            for id in ids {
                let shown = try await stage.shown(id)
                #expect(shown["recipients"]?.integer == 300 && shown["state"]?.asText == "sent")
            }
            let rows = try await stage.number("SELECT count(*) FROM deliveries")
            #expect(rows == 900)
        }
    }

    @Test
    func `rule 9: what a killed runner left goes on elsewhere after ten seconds without a sign of life`()
        async throws
    {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            try await stage.stopClock(at: 1_900_000_000)
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { try await $0.take(2) }
            try await stage.withDeliverer(chunk: 5) { other in
                try await other.finish()
                let early = try await stage.holders(id)
                #expect(early == 10, "the other may still live")
                try await stage.stopClock(at: 1_900_000_009)
                try await other.finish()
                let still = try await stage.holders(id)
                #expect(still == 10)
                try await stage.stopClock(at: 1_900_000_010)
                try await other.finish()
            }
            let holders = try await stage.holders(id)
            #expect(holders == 20)
            #expect(try await stage.shown(id)["state"]?.asText == "sent")
        }
    }

    @Test func `rule 9: a runner that ends leaves its fan-outs to others at once`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                try await deliverer.release()
            }
            try await stage.withDeliverer(chunk: 5) { try await $0.finish() }
            let holders = try await stage.holders(id)
            #expect(holders == 20)
        }
    }

    @Test func `a runner whose connections are cut goes on when it has new ones`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(40, tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                for _ in 0..<4 {
                    try await deliverer.take()
                    try await stage.script(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                        """)
                }
                try await deliverer.finish()
                try await deliverer.finish()
            }
            let holders = try await stage.holders(id)
            #expect(holders == 40)
        }
    }

    @Test func `a chunk whose commit was not heard of is neither lost nor delivered twice`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            let phone = try await stage.phone(tag: "all")
            try await stage.crowd(40, tag: "all")
            let id = try await stage.sendAll()
            try await Proxy.open(to: stage.url) { proxy in
                try await stage.withDeliverer(chunk: 5, chunksTo: proxy.connectionString) { deliverer in
                    try await deliverer.take()
                    for _ in 0..<3 {
                        proxy.set(.cutNextAnswer)
                        try await deliverer.take(2)
                    }
                    try await deliverer.finish()
                }
            }
            let (holders, revisions) = try await (
                stage.holders(id), stage.number("SELECT max(revision) FROM inboxes")
            )
            #expect(holders == 41)
            #expect(revisions == 1, "nobody was raised twice")
            #expect(try await phone.list().ids == [id])
        }
    }

    @Test func `a change of the schema in the middle holds up nothing`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let id = try await stage.sendAll()
            try await stage.withDeliverer(chunk: 5) { deliverer in
                try await deliverer.take()
                try await stage.script(
                    """
                    ALTER TABLE deliveries ADD COLUMN later integer NOT NULL DEFAULT 0;
                    ALTER TABLE inboxes ALTER COLUMN floor_ms TYPE numeric;
                    ALTER TABLE inboxes ALTER COLUMN floor_ms TYPE bigint
                    """)
                try await deliverer.finish()
                try await deliverer.finish()
            }
            let holders = try await stage.holders(id)
            #expect(holders == 20)
        }
    }

    @Test func `small fan-outs, and other apps', are not kept waiting by large ones`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(100, tag: "all")
            let large = [try await stage.sendAll(), try await stage.sendAll()]
            try await stage.crowd(11, tag: "some")
            let small = try await stage.sendAll(tag: "some")
            try await stage.withDeliverer(chunk: 10) { deliverer in
                try await deliverer.take(6)
                for id in large {
                    #expect(try await stage.shown(id)["progress"]?["delivered"]?.integer == 20)
                }
                #expect(try await stage.shown(small)["state"]?.asText == "sent")
            }
        }
    }

    @Test func `a fan-out of a form that this version does not know waits for one that does`() async throws {
        try await DeviceStage.open(limits: DeviceStage.few) { stage in
            try await stage.crowd(20, tag: "all")
            let id = try await stage.sendAll()
            let other = try await stage.sendAll()
            try await stage.script(
                #"UPDATE fanouts SET audience = '{"segment": "x"}' WHERE message_id = '\#(id)'"#)
            try await stage.withDeliverer(chunk: 5) { try await $0.take(12) }
            #expect(try await stage.shown(id)["state"]?.asText == "delivering")
            #expect(try await stage.shown(other)["state"]?.asText == "sent")
            try await stage.script(
                #"UPDATE fanouts SET audience = '{"tags": ["all"], "group": "device"}'"#)
            try await stage.withDeliverer(chunk: 5) { try await $0.finish() }
            let holders = try await stage.holders(id)
            #expect(holders == 20)
        }
    }
}
