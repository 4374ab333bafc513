import Foundation
import InboxWire
import Testing

struct JSONTests {
    @Test func `every kind of value is read`() throws {
        let json = try parse(#" {"a": [1, -0.5, 1e3], "b": true, "c": null, "d": "x", "e": {}, "f": []} "#)
        #expect(json["a"] == .array(["1", "-0.5", "1e3"].map { .number(JSONNumber(text: $0)) }))
        #expect(json["b"] == .bool(true))
        #expect(json["c"] == .null)
        #expect(json["d"] == .string("x"))
        #expect(json["e"] == .object([]))
        #expect(json["f"] == .array([]))
        #expect(json["g"] == nil)
    }

    @Test func `members keep the order they came in`() throws {
        guard case .object(let members) = try parse(#"{"z": 1, "a": 2, "m": 3}"#) else {
            Issue.record("not an object")
            return
        }
        #expect(members.map(\.name) == ["z", "a", "m"])
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
        (#""\u00e5\u65e5\ud83d\uDE00""#, "å日😀"),
        (#""accentué 🧪 日本語""#, "accentué 🧪 日本語"),
        (#""\u0000""#, "\0"),
        (#""""#, ""),
    ])
    func `strings are unescaped`(text: String, expected: String) throws {
        #expect(try parse(text) == .string(expected))
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a:1}",
        "{'a':1}", "[1 2]",
        "tru", "nul", "True", "NaN", "-", "01", "1.", ".5", "+1", "1e", "0x1", "\"a", "\"\\", "\"\\u12\"",
        "\"\\x\"",
        "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"", "1 2", "{} x", "// c\n1", "\u{FEFF}1",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try parse(text) }
    }

    @Test func `an error says line and column`() {
        #expect(throws: JSONSyntaxError(line: 3, column: 8, reason: "a value is expected here")) {
            try parse("{\n  \"a\": 1,\n  \"b\": oops\n}")
        }
    }

    @Test(
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF]]
            as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONSyntaxError.self) { try JSON.parse(bytes) }
    }

    @Test func `a name that stands twice is refused, or the last one counts`() throws {
        let text = #"{"a": 1, "b": 2, "\u0061": 3}"#
        #expect(throws: JSONSyntaxError(line: 1, column: 18, reason: "a name stands twice in one object")) {
            try parse(text)
        }
        let last = try JSON.parse(Array(text.utf8), duplicateNames: .lastWins)
        #expect(last == .object([member("a", 3), member("b", 2)]))
    }

    @Test func `names are compared in large objects too`() throws {
        let names = (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")
        #expect(throws: JSONSyntaxError.self) { try parse("{\(names),\"n39\":1}") }
        #expect(throws: JSONSyntaxError.self) { try parse("{\(names),\"n2\":1}") }
        #expect(throws: Never.self) { try parse("{\(names)}") }
    }

    @Test func `sixty-four levels are read, one more is refused`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try parse(nested(64)) }
        #expect(throws: JSONSyntaxError.self) { try parse(nested(65)) }
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
    }

    @Test func `as many values as the limit are read, one more is refused`() throws {
        func zeros(_ count: Int) -> String { "[" + String(repeating: "0,", count: count - 1) + "0]" }
        #expect(throws: Never.self) { try parse(zeros(JSON.maximumValues - 1)) }
        #expect(throws: JSONSyntaxError.self) { try parse(zeros(JSON.maximumValues)) }
    }

    @Test func `numbers keep what they can hold`() throws {
        #expect(JSONNumber(text: "9223372036854775807").int64 == .max)
        #expect(JSONNumber(text: "9223372036854775808").int64 == nil)
        #expect(JSONNumber(text: "1.0").int64 == nil)
        #expect(JSONNumber(text: "1.5").double == 1.5)
        #expect(JSONNumber(text: "1e999").double == nil)
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "9", count: 401)) }
    }

    @Test func `names that differ in composition are one name, wherever they stand`() throws {
        let plain = (0..<20).map { "\"k\($0)\":0" }
        for (one, other) in [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{212A}", "K")] {
            for count in [0, 3, 15, 16, 20] {
                let names = ["\"\(one)\":1"] + plain.prefix(count) + ["\"\(other)\":2"]
                let text = "{" + names.joined(separator: ",") + "}"
                #expect(throws: JSONSyntaxError.self) { try parse(text) }
                let lenient = try JSON.parse(Array(text.utf8), duplicateNames: .lastWins)
                #expect(lenient[one] == .number(JSONNumber(2)))
            }
        }
    }

    @Test func `thousands of names that are slow to compare are told apart`() throws {
        let accents = String(repeating: "\u{301}", count: 400)
        let members = (0..<2_000).map { "\"\(accents)\($0)\":\($0)" }.joined(separator: ",")
        let json = try parse("{\(members)}")
        #expect(json["\(accents)1999"] == .number(JSONNumber(1999)))
        #expect(throws: JSONSyntaxError.self) { try parse("{\(members),\"\(accents)1999\":0}") }
    }

    @Test func `random bytes are refused or read, and never crash`() {
        var random = SplitMix(state: 7)
        let alphabet = Array("{}[]\",:\\u0dtruefalsn18.-e+ \n\u{E5}".utf8) + [0xFF, 0x00]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...24, using: &random)
            let bytes = (0..<count).compactMap { _ in alphabet.randomElement(using: &random) }
            guard let json = try? JSON.parse(bytes, duplicateNames: .lastWins) else { continue }
            #expect((try? JSON.parse(JSONWriter.bytes { $0.value(json) })) == json)
        }
    }

    @Test func `a text that is cut anywhere is refused`() throws {
        let whole = Array(#"{"a":["é\u00e9",{"b":-1.5e3}],"c":true}"#.utf8)
        for count in whole.indices {
            #expect(throws: JSONSyntaxError.self) { try JSON.parse(Array(whole.prefix(count))) }
        }
        #expect(throws: Never.self) { try JSON.parse(whole) }
    }

    @Test func `what is written is what Foundation reads`() throws {
        let text =
            String(String.UnicodeScalarView((1..<0x300).compactMap { Unicode.Scalar(UInt32($0)) })) + "😀"
        let bytes = JSONWriter.bytes { writer in
            writer.object { body in
                body.member("text", text)
                body.member("least", Int(Int64.min))
                body.member("nothing", orNull: nil)
                body.member("list", ["a", "b"])
                body.object("map") { $0.member("yes", true) }
                body.array("empty") { _ in }
                body.member("zero", 0)
            }
        }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
        let expected: NSDictionary = [
            "text": text, "least": Int64.min, "nothing": NSNull(), "list": ["a", "b"], "map": ["yes": true],
            "empty": [], "zero": 0,
        ]
        #expect(object == expected)
        #expect(try JSON.parse(bytes)["text"] == .string(text))
    }

    private func parse(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

    private func member(_ name: String, _ number: Int64) -> JSONMember {
        JSONMember(name, .number(JSONNumber(number)))
    }
}
