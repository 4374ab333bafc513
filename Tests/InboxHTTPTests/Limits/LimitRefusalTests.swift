import HTTPCore
import InboxModel
import InboxWire
import Testing

@Suite struct LimitRefusalTests {
    /// What cuts, logs out or splits instead of refusing, and what is refused for what is stored or streamed: their own
    /// tests make what they need.
    private static let elsewhere: Set<String> = [
        "life_seconds", "tombstones_per_recall", "channels_per_named_user", "export_bytes", "export_rows",
        "recipients_in_request", "fan_out_chunk", "schedules_per_app", "streams_per_credential",
        "proof_bytes",
        "proof_life_seconds",
    ]

    @Test func `each limit has a name, and a test at its border`() {
        let names = Limits().all.map(\.name)
        #expect(names.count == Mirror(reflecting: Limits()).children.count && Set(names).count == names.count)
        let cases = Set(LimitCase.all.map(\.name))
        #expect(Set(names).subtracting(cases) == Self.elsewhere)
    }

    @Test
    func `at a limit and below it a request is good, beyond it is refused with the limit's name and value`()
        async throws
    {
        try await DeviceStage.open(limits: LimitCase.limits) { stage in
            let phone = try await Phone.register(stage)
            // A person whose tags can be changed.
            _ = await phone.login("u")
            for limit in LimitCase.all {
                for count in limit.border - 1...limit.border + 1 {
                    let answer = await limit.call(LimitedCaller(phone: phone), count)
                    guard count > limit.border else {
                        #expect((200..<300).contains(answer.status), "\(limit.name) \(count): \(answer.text)")
                        continue
                    }
                    #expect(answer.status == limit.refusal, "\(limit.name) \(count): \(answer.text)")
                    try Self.expect(answer, names: Limit(limit.name, limit.border))
                }
            }
        }
    }

    /// Members of their own under `/v1`, a sentence for published clients.
    private static func expect(_ answer: Response, names limit: Limit) throws {
        let json = try answer.json
        if let told = json["limit"] {
            #expect(told["name"]?.asText == limit.name, "\(answer.text)")
            #expect(told["value"]?.asInteger == Int64(limit.value), "\(answer.text)")
        } else {
            let sentence = json["details"]?["error"]?.asText ?? ""
            #expect(sentence.contains("limit \(limit.name) is \(limit.value)"), "\(answer.text)")
        }
    }
}
