package import HTTPCore
package import InboxWire

extension Response {
    /// A JSON answer.
    package static func json(_ body: [UInt8], status: Int = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// A JSON object whose members `content` writes.
    package static func json(status: Int = 200, _ content: (inout JSONWriter) -> Void) -> Response {
        json(JSONWriter.bytes { $0.object(content) }, status: status)
    }

    /// `{"ok":true}`: done, and there is nothing to say.
    package static let ok = Response.json(Array(#"{"ok":true}"#.utf8))
}
