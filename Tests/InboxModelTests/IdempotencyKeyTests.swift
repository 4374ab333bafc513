import InboxModel
import Testing

struct IdempotencyKeyTests {
    @Test(arguments: [
        "a", "8e03978e-40d5-43dd-bc93-6894a57f9324", "\"quoted\" ~", String(repeating: "k", count: 255),
    ])
    func `a key is printable ASCII and kept as it came`(text: String) throws {
        #expect(try IdempotencyKey(text).text == text)
    }

    @Test(arguments: ["", "é", "a\tb", "a\u{7F}", "a\nb", String(repeating: "k", count: 256)])
    func `another key is refused by the header's name`(text: String) {
        let error = #expect(throws: InboxError.self) { try IdempotencyKey(text) }
        guard case .invalid(let field, _, let limit)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(field == "Idempotency-Key")
        #expect(limit == (text.utf8.count > 255 ? Limit("idempotency_key_bytes", 255) : nil))
    }
}
