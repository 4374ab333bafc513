import HTTPCore
import InboxModel
import InboxWire
import Testing

/// What two instances are asked for at the same moment.
@Suite struct SimultaneousTests {
    private static func channels(of name: String, _ stage: DeviceStage) async throws -> [String] {
        let answer = await stage.call(
            .get, "/v1/named-users/\(name)", DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret))
        guard case .array(let channels)? = try answer.json["channels"] else { return [] }
        return channels.compactMap { $0["channel_id"]?.asText }
    }

    @Test func `rule 18: of two logins at once one makes room for the other`() async throws {
        var limits = Limits()
        limits.channelsPerNamedUser = 2
        try await DeviceStage.open(limits: limits) { stage in
            try await stage.onAnotherInstance { other in
                let first = try await Phone.register(stage)
                let second = try await Phone.register(stage)
                let third = try await Phone.register(stage)
                for round in 0..<12 {
                    let name = "ana\(round)"
                    _ = await first.login(name)
                    async let one = second.login(name)
                    async let two = third.on(other).login(name)
                    #expect(await [one.status, two.status] == [200, 200])
                    #expect(try await Self.channels(of: name, stage).count == 2)
                }
            }
        }
    }

    @Test func `rule 18: who makes room by leaving for another person is not logged out there`() async throws
    {
        var limits = Limits()
        limits.channelsPerNamedUser = 1
        try await DeviceStage.open(limits: limits) { stage in
            try await stage.onAnotherInstance { other in
                let leaving = try await Phone.register(stage)
                let coming = try await Phone.register(stage)
                for round in 0..<12 {
                    _ = await leaving.login("ana\(round)")
                    async let left = leaving.login("ben\(round)")
                    async let came = coming.on(other).login("ana\(round)")
                    #expect(await [left.status, came.status] == [200, 200])
                    #expect(try await Self.channels(of: "ben\(round)", stage) == [leaving.channel])
                }
            }
        }
    }

    @Test func `a person who is erased and logs in at once is there anew or not at all`() async throws {
        try await DeviceStage.open { stage in
            try await stage.onAnotherInstance { other in
                let phone = try await Phone.register(stage)
                let second = try await Phone.register(stage)
                let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
                for _ in 0..<12 {
                    _ = await second.login("ana")
                    async let came = phone.login("ana")
                    async let gone = other.call(.delete, "/v1/named-users/ana", master)
                    #expect(await [came.status, gone.status] == [200, 204])
                    _ = await phone.login("ben")
                }
            }
        }
    }

    @Test func `of two sets of tags at once one counts`() async throws {
        try await DeviceStage.open { stage in
            try await stage.onAnotherInstance { other in
                let phone = try await Phone.register(stage)
                let master = DeviceStage.App.basic(stage.acme.key, stage.acme.masterSecret)
                let set: @Sendable (DeviceStage, String) async -> Int = { stage, tag in
                    await stage.call(
                        .post, "/api/channels/tags", master,
                        #"{"audience":{"channel":["\#(phone.channel)"]},"set":{"crew":["\#(tag)"]}}"#
                    ).status
                }
                for round in 0..<12 {
                    async let one = set(stage, "a\(round)")
                    async let two = set(other, "b\(round)")
                    #expect(await [one, two] == [200, 200])
                    let answer = await stage.call(.get, "/api/channels/\(phone.channel)", master)
                    guard case .array(let tags)? = try answer.json["channel"]?["tag_groups"]?["crew"] else {
                        Issue.record("\(answer.text)")
                        return
                    }
                    #expect(tags.count == 1)
                }
            }
        }
    }
}
