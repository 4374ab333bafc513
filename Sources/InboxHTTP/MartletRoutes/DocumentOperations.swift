import Crypto
import HTTPCore

extension Shard {
    /// What describes the API itself.
    static func documentOperations() -> [Operation] {
        [
            Operation(.get, "/v1/openapi.json", "getDocument", for: .open(document))
                .does("Read this document", "The same for everyone; made at the server's start.")
                .header("If-None-Match", .string, "ETags that the caller holds.")
                .answers(200, "OpenAPI 3.1.", .json(.map(.anything)), headers: [.etag])
                .answers(304, "The caller holds it.", headers: [.etag])
        ]
    }

    private static func document(_ shard: isolated Shard, _ call: Call) -> Response {
        let document = shard.apiDocument
        return call.request.holds(document.headers["etag"])
            ? Response(status: 304, headers: document.headers) : document
    }
}

extension Response {
    /// A document that stays the same while the process runs.
    static func constant(_ bytes: [UInt8]) -> Response {
        var response = Response.json(bytes)
        let digest = SHA256.digest(bytes).prefix(16)
        response.headers.add("ETag", "\"\(Base64.encode(Array(digest)))\"")
        response.headers.add("Cache-Control", "no-cache")
        return response
    }
}
