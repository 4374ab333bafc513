import HTTPCore
import Testing

struct HeadersTests {
    @Test func `names are found whatever their case, and keep their spelling`() {
        let headers: Headers = ["Last-Modified": "now", "X-Empty": ""]
        #expect(headers["last-modified"] == "now")
        #expect(headers["LAST-MODIFIED"] == "now")
        #expect(headers["x-empty"] == "")
        #expect(headers["Last_Modified"] == nil)
        #expect(headers.all.map(\.name) == ["Last-Modified", "X-Empty"])
    }

    @Test func `characters that differ by the case bit only are not the same name`() {
        #expect((["[x": "1"] as Headers)["{x"] == nil)
    }

    @Test func `repeated fields stay apart and in order`() {
        var headers: Headers = ["A": "1", "B": "2"]
        headers.add("a", "3")
        #expect(headers["A"] == "1")
        #expect(headers.values(of: "A") == ["1", "3"])
        #expect(headers.values(of: "C") == [])
    }

    @Test func `setting replaces all fields of the name, and nil removes them`() {
        var headers: Headers = ["A": "1", "B": "2", "a": "3"]
        headers["A"] = "4"
        #expect(headers.all.map(\.value) == ["2", "4"])
        headers["B"] = nil
        headers["C"] = nil
        #expect(headers == ["A": "4"])
        headers["a"] = nil
        #expect(headers.isEmpty)
    }

    @Test func `long values survive`() {
        let long = String(repeating: "x", count: 70_000)
        let headers: Headers = ["Long": long, "After": "1"]
        #expect(headers["long"] == long)
        #expect(headers["after"] == "1")
    }

    @Test func `fields are C strings`() {
        var lengths: [Int] = []
        let headers: Headers = ["Name": "value"]
        headers.forEach { name, value in
            lengths.append(Int(name[name.count - 1]))
            lengths.append(String(cString: value.baseAddress.map { UnsafePointer($0) } ?? nothing).utf8.count)
        }
        #expect(lengths == [Int(UInt8(ascii: "e")), 5])
    }

    @Test func `bytes that are no UTF-8 are replaced`() {
        var headers = Headers(reservingFields: 1, bytes: 2)
        let (name, value): ([UInt8], [UInt8]) = ([0x41], [0xff, 0x42])
        name.withUnsafeBufferPointer { name in value.withUnsafeBufferPointer { headers.add(name, $0) } }
        #expect(headers["a"] == "\u{FFFD}B")
    }
}

/// An empty C string.
private nonisolated(unsafe) let nothing = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
