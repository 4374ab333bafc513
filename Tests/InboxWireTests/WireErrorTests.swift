import InboxModel
import InboxWire
import Testing

struct WireErrorTests {
    @Test func `a refusal names the place on both surfaces`() {
        let error = WireError(
            .invalid(field: "message.title", reason: "is too long", limit: Limit("title_bytes", 1024)))
        #expect(
            text(error.vendorBody(operationID: "op-1"))
                == #"{"ok":false,"operation_id":"op-1","error":"Could not parse request body.","error_code":40000,"#
                + #""details":{"error":"is too long (limit title_bytes is 1024)","path":"message.title"}}"#)
        #expect(
            text(error.problemBody())
                == #"{"type":"about:blank","title":"Invalid request","status":400,"code":"invalid","#
                + #""detail":"is too long (limit title_bytes is 1024)","field":"message.title","#
                + #""limit":{"name":"title_bytes","value":1024}}"#)
    }

    @Test(arguments: [
        (InboxError.invalid(field: "", reason: "r"), 400, 40000),
        (.tooLarge(field: "", reason: "r", limit: Limit("body", 1)), 413, 41300),
        (.unauthorized, 401, 40101), (.forbidden(reason: "r"), 403, 40301),
        (.notFound(what: "message"), 404, 40401), (.conflict(reason: "r"), 409, 40901),
        (.notAcceptable(reason: "r"), 406, 40601),
    ])
    func `an error code is the status with two digits behind it`(error: InboxError, status: Int, code: Int)
        throws
    {
        let wire = WireError(error)
        let body = try JSON.parse(wire.vendorBody(operationID: nil))
        #expect(wire.status == status)
        #expect(body["error_code"] == .number(JSONNumber(Int64(code))))
        #expect(body["ok"] == .bool(false))
        #expect(body["operation_id"] == nil)
    }

    @Test func `a fault tells its reference and nothing else`() {
        let fault = WireError.unavailable(reference: "r-1")
        #expect(
            text(fault.problemBody())
                == #"{"type":"about:blank","title":"Not available right now","status":503,"code":"unavailable","reference":"r-1"}"#
        )
        #expect(
            text(fault.vendorBody(operationID: "op"))
                == #"{"ok":false,"operation_id":"r-1","error":"Not available right now","error_code":50300}"#)
    }

    @Test(arguments: [
        (400, "bad_request"), (408, "timeout"), (413, "too_large"), (500, "internal"),
        (501, "not_implemented"), (503, "unavailable"), (505, "not_implemented"),
    ])
    func `what is refused before there is a route has a code too`(status: Int, code: String) {
        let error = WireError.edge(status, "Because.", bodyBytes: 7)
        #expect(error.status == status && error.code == code && error.reason == "Because.")
        #expect(error.limit == (status == 413 ? Limit("request_bytes", 7) : nil))
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
