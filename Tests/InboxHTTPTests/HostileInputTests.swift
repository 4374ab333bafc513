import Crypto
import HTTPCore
import InboxModel
import InboxWire
import Testing

@testable import InboxHTTP

/// Requests that no honest client makes, to every operation and from every kind of caller.
struct HostileInputTests {
    @Test func `paths that are wrong are answered as described`() async throws {
        let values = [
            "%00", "%FF", "%ED%A0%80", "%", "%zz", "%2F", "..", "%2E%2E", "'--", "%F0%9F%98%80", "%0D%0AX:y",
            "nonsense", "AAAAAAAAAAAAAAAAAAAAAA", "-1", "99999999999999999999",
            String(repeating: "a", count: 5000),
        ]
        try await judge { operation in
            guard operation.pattern.contains("{") else { return [] }
            return values.map { Hostile(target: operation.target(with: $0)) }
        }
    }

    @Test func `queries that are wrong are answered as described`() async throws {
        let values = [
            "%00", "%FF", "", "0", "-1", "99999999999999999999", "1e3", "0x10", "1.5", " 1", "%EF%BC%91",
            "null",
            "true", "'--", "%", String(repeating: "9", count: 5000),
        ]
        try await judge { operation in
            let names = operation.parameters.filter { $0.place == .query }.map(\.name)
            let each = names.flatMap { name in values.map { "\(name)=\($0)" } }
            let repeated = names.map { "\($0)=1&\($0)=x&\($0)" }
            let odd = ["", "&&", "=", "%00=%00", "%FF", "extra.=1", "extra.%00=%00", "extra.%FF=%FF"]
            return (each + repeated + odd).map { Hostile(target: operation.target(with: "x") + "?" + $0) }
        }
    }

    @Test func `bodies that are wrong are answered as described`() async throws {
        let texts = [
            "", " ", "null", "true", "0", "\"\"", "[]", "{}", "[[]]", "{\"\":\"\"}", "{", "{\"a\":1,\"a\":2}",
            "{\"ids\":[1e400]}", "{\"ids\":\"\\u0000\"}",
            "{\"events\":[{\"id\":\"\\u0000\",\"type\":\"opened\"}]}",
            "{\"audience\":\"all\",\"message\":{\"title\":\"\\u0000\",\"body\":\"\\u0000\"}}",
            "{\"audience\":{\"named_user\":\"\\u0000\"},\"message\":{\"title\":\"t\",\"body\":\"b\"}}",
            "{\"audience\":\"all\",\"message\":{\"title\":\"t\",\"body\":\"b\",\"expiry\":99999999999999999999}}",
            "{\"named_user_id\":\"\\u0000\"}", "{\"named_user_id\":\"ana\",\"expires_in\":1e30}",
            String(repeating: "[", count: 100_000), "--boundary", "a=b&c=d",
        ]
        let bodies =
            texts.map { Array($0.utf8) } + [[0x1F, 0x8B, 8], [0xFF, 0xFE], [0], [0x22, 0xFF, 0x22]]
        try await judge { operation in
            let types = ["application/json", "text/plain", "application/xml", ""]
            return bodies.enumerated().map { number, body in
                let headers: Headers = ["Content-Type": types[number % types.count]]
                return Hostile(target: operation.target(with: "x"), headers: headers, body: body)
            }
        }
    }

    @Test func `headers that are wrong are answered as described`() async throws {
        let fields = [
            ("Authorization", "Basic"), ("Authorization", "Basic ===="), ("Authorization", "Basic OjpB"),
            ("Authorization", "Bearer"), ("Authorization", "Bearer %00"), ("Authorization", "\u{1F600}"),
            ("Authorization", "Bearer " + String(repeating: "A", count: 44)), ("If-None-Match", "\"\u{0}\""),
            ("If-None-Match", ",,,"), ("Idempotency-Key", ""), ("Idempotency-Key", "\u{1F600}"),
            ("Idempotency-Key", String(repeating: "k", count: 5000)), ("Last-Event-ID", "\u{0}"),
            ("Accept", "image/png"), ("Content-Type", "\u{0}"), ("X-UA-Appkey", "\u{0}"), ("Origin", "null"),
        ]
        try await judge { operation in
            fields.map { Hostile(target: operation.target(with: "x"), headers: [$0.0: $0.1]) }
        }
    }

    /// One request that is wrong, or none that makes sense.
    private struct Hostile {
        var target: String
        var headers = Headers()
        var body: [UInt8] = []
    }

    /// Makes the requests to every operation as everybody, and holds the answers to what the table says.
    private func judge(_ requests: @escaping @Sendable (InboxHTTP.Operation) -> [Hostile]) async throws {
        try await ServerStage.open { stage in
            let user = try await stage.device(stage.acme).user.text
            let device = "Basic " + Base64.encode(Array("\(user):x".utf8))
            for operation in Shard.operations(Limits()) where !operation.isStream {
                for hostile in requests(operation) {
                    for caller in [nil, stage.acme.master, stage.acme.device, device] {
                        // A header that is wrong takes the place of a right one.
                        let authorization = hostile.headers["authorization"] == nil ? caller : nil
                        let answer = await stage.call(
                            operation.method, hostile.target, as: authorization, bytes: hostile.body,
                            headers: hostile.headers)
                        check(
                            answer, of: operation, "\(hostile.target.prefix(80)) \(hostile.body.prefix(80))")
                    }
                }
            }
        }
    }

    private func check(_ answer: Answer, of operation: InboxHTTP.Operation, _ request: String) {
        let described = operation.answers.map(\.status) + operation.refusals.map(\.refusal.status)
        #expect(
            described.contains(answer.status) && answer.status < 500,
            "\(operation.name) \(request) \(answer.text)")
        guard answer.status >= 400 else { return }
        #expect(answer.response.headers["content-type"] == "application/problem+json")
        #expect(answer.json["status"]?.integer == Int64(answer.status) && answer.json["code"]?.text != nil)
    }
}

extension InboxHTTP.Operation {
    /// The pattern with `value` for each parameter.
    fileprivate func target(with value: String) -> String {
        pattern.split(separator: "/").map { $0.hasPrefix("{") ? "/" + value : "/" + $0 }.joined()
    }

    /// It answers for as long as the caller listens.
    fileprivate var isStream: Bool {
        answers.contains { answer in
            guard case .bytes("text/event-stream") = answer.content else { return false }
            return true
        }
    }
}
