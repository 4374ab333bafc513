import Crypto
import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Testing

@testable import InboxHTTP

struct OpenAPITests {
    @Test func `the document is the golden one`() async throws {
        try await ServerStage.open { stage in
            let answer = await stage.call(.get, "/v1/openapi.json", as: nil)
            #expect(answer.status == 200)
            #expect(answer.response.headers["content-type"] == "application/json")
            let text = try indented(answer.response.body)
            #expect(try text == golden(text))
        }
    }

    @Test func `who holds the document gets no second copy`() async throws {
        try await ServerStage.open { stage in
            let etag = try #require(
                await stage.call(.get, "/v1/openapi.json", as: nil).response.headers["etag"])
            for held in [etag, "W/\(etag)", "\"other\", \(etag) "] {
                let answer = await stage.call(
                    .get, "/v1/openapi.json", as: nil, headers: ["If-None-Match": held])
                #expect(answer.status == 304 && answer.response.body.isEmpty)
                #expect(answer.response.headers["etag"] == etag)
            }
            for other in ["\"other\"", "*", etag + "x"] {
                let answer = await stage.call(
                    .get, "/v1/openapi.json", as: nil, headers: ["If-None-Match": other])
                #expect(answer.status == 200)
            }
        }
    }

    @Test func `what is served under v1 is described, and what is described is served`() {
        let operations = Shard.operations(Limits())
        let served = Shard.router(operations).entries.filter { $0.pattern.hasPrefix("/v1") }
        #expect(
            Set(served.map { "\($0.method.rawValue) \($0.pattern)" })
                == Set(operations.map { "\($0.method.rawValue) \($0.pattern)" }))
        #expect(served.count == operations.count)
    }

    @Test func `names of operations are unique, and each says what it does and answers`() {
        let operations = Shard.operations(Limits())
        #expect(Set(operations.map(\.name)).count == operations.count)
        for operation in operations {
            #expect(!operation.summary.isEmpty && !operation.answers.isEmpty, "\(operation.name)")
        }
    }

    @Test func `the parameters in a pattern are those that are described`() {
        for operation in Shard.operations(Limits()) {
            let inPattern = operation.pattern.split(separator: "/").filter { $0.hasPrefix("{") }
            let described = operation.parameters.filter { $0.place == .path }.map { "{\($0.name)}" }
            #expect(inPattern.map(String.init) == described, "\(operation.name)")
        }
    }

    @Test func `the limits of the server stand in the schemas and in the list`() throws {
        var configuration = ShardConfiguration(
            key: try #require(SecretKey(bytes: [UInt8](repeating: 1, count: 32))), version: "7")
        configuration.limits.titleBytes = 17
        configuration.edgeLimits = [Limit("request_bytes", 4711)]
        configuration.basePath = "/mc"
        let operations = Shard.operations(configuration.limits)
        let document = try JSON.parse(OpenAPIDocument(operations, configuration).bytes)
        let content = document["components"]?["schemas"]?["MessageContent"]?["properties"]
        #expect(content?["title"]?["maxLength"]?.integer == 17)
        #expect(document["x-martlet-limits"]?["title_bytes"]?.integer == 17)
        #expect(document["x-martlet-limits"]?["request_bytes"]?.integer == 4711)
        #expect(document["servers"]?[0]?["url"]?.text == "/mc")
        #expect(document["info"]?["version"]?.text == "7")
    }

    /// With a line for each value, so that a change shows as what it is.
    private func indented(_ bytes: [UInt8]) throws -> String {
        let value = try JSONSerialization.jsonObject(with: Data(bytes))
        let options: JSONSerialization.WritingOptions = [
            .prettyPrinted, .sortedKeys, .withoutEscapingSlashes,
        ]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
            + "\n"
    }

    /// The file's text; with `MARTLET_RECORD=1` it becomes `recording` first.
    private func golden(_ recording: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/openapi.json")
        if ProcessInfo.processInfo.environment["MARTLET_RECORD"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try recording.write(to: file, atomically: true, encoding: .utf8)
        }
        return try String(contentsOf: file, encoding: .utf8)
    }
}
