import Foundation
import HTTPCore
import InboxWire
import Postgres
import Testing

/// Streams of events between real servers.
@Suite(.timeLimit(.minutes(10)))
struct EventTests {
    @Test func `a mark at one server is heard at another, and a server that stops says goodbye`() async throws
    {
        try await withServer { installation, first, app in
            try await installation.serve { second in
                let phone = try await Device(of: app, at: first, person: "ana")
                let tablet = try await Device(of: app, at: second, person: "ana")
                try await EventClient.with { client in
                    let feed = try await client.open(tablet, at: second)
                    let id = try await send(#"{"named_user":"ana"}"#, of: app, at: first)
                    #expect(await feed.next()?.contains("event: changed") == true)
                    try await phone.mark(id, "unread", at: first)
                    #expect(await feed.next()?.contains("event: changed") == true)
                    second.program.end()
                    #expect(await feed.next()?.contains(#"{"reason":"draining","retry":true}"#) == true)
                    #expect(await feed.next() == nil)
                }
            }
        }
    }

    @Test func `row 67: without its listening connection a server tells of what others send all the same`()
        async throws
    {
        try await withServer { installation, first, app in
            try await installation.serve { second in
                let device = try await Device(of: app, at: first)
                let url = try #require(installation.environment["DATABASE_URL"])
                try await EventClient.with { client in
                    let feed = try await client.open(device, at: second)
                    var sent: Set<String> = []
                    for _ in 0..<3 {
                        try AdminConnection(url).script(
                            """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND query LIKE 'LISTEN%'
                            """)
                        sent.insert(try await send(#"{"channel":"\#(device.channel)"}"#, of: app, at: first))
                        #expect(await feed.next()?.contains("event: changed") == true)
                        #expect(try await Set(device.ids(at: second)) == sent)
                    }
                }
            }
        }
    }

    @Test func `row 68: streams hold no connection, and many sends at once go on beside them`() async throws {
        try await withServer { installation, server, app in
            let url = try #require(installation.environment["DATABASE_URL"])
            let devices = try await withThrowingTaskGroup(of: Device.self) { group in
                for _ in 0..<5 { group.addTask { try await Device(of: app, at: server) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let before = try connections(url)
            try await EventClient.with { client in
                var feeds: [EventFeed] = []
                for device in devices {
                    for _ in 0..<10 { feeds.append(try await client.open(device, at: server)) }
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<50 {
                        let channel = devices[number % devices.count].channel
                        group.addTask {
                            _ = try await send(#"{"channel":"\#(channel)"}"#, of: app, at: server)
                        }
                    }
                    try await group.waitForAll()
                }
                for feed in feeds { #expect(await feed.next()?.contains("event: changed") == true) }
                #expect(try connections(url) == before)
            }
        }
    }

    @Test func `row 71: a broadcast to many who all refresh at once fails nobody`() async throws {
        try await withServer { _, server, app in
            let devices = try await withThrowingTaskGroup(of: Device.self) { group in
                for _ in 0..<40 { group.addTask { try await Device(of: app, at: server) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await EventClient.with { client in
                var feeds: [(Device, EventFeed)] = []
                for device in devices {
                    for _ in 0..<10 { feeds.append((device, try await client.open(device, at: server))) }
                }
                let id = try await send(#""all""#, of: app, at: server)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (device, feed) in feeds {
                        group.addTask {
                            let told = await feed.next() ?? "the end"
                            #expect(told.contains(#"{"within":0}"#), "\(told)")
                            let ids = try await device.ids(at: server)
                            #expect(ids == [id])
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private func connections(_ url: String) throws -> Int64 {
        try AdminConnection(url).value(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    }
}

/// Sends a message to an audience; its id.
private func send(_ audience: String, of app: AppSecrets, at server: Server) async throws -> String {
    let answer = try await server.call(
        .post, "/v1/messages", app.key, app.master,
        #"{"audience":\#(audience),"message":{"title":"t","body":"b"}}"#)
    try #require(answer.status == 202, "\(answer.json)")
    return answer.text("message_id")
}
