import InboxWire
import Platform

/// Reads server-sent events out of the pieces of an open answer.
///
/// A line is at most 16 KiB, an event as much: what is longer is skipped to its end.
package struct HintReader: Sendable {
    private var line: [UInt8] = []
    private var isOverlong = false
    private var event = ""
    private var data = ""
    private var endedByReturn = false

    private static let longest = 16 << 10

    package init() {}

    /// Takes the next bytes; returns what they complete.
    package mutating func read(_ bytes: [UInt8]) -> [StreamNews] {
        var news: [StreamNews] = []
        for byte in bytes {
            let isNewline = byte == UInt8(ascii: "\n")
            defer { endedByReturn = byte == UInt8(ascii: "\r") }
            if isNewline, endedByReturn { continue }  // CR LF is one end
            if isNewline || byte == UInt8(ascii: "\r") {
                if let one = endLine() { news.append(one) }
            } else if line.count < HintReader.longest {
                line.append(byte)
            } else {
                isOverlong = true
            }
        }
        return news
    }

    private mutating func endLine() -> StreamNews? {
        defer { (line, isOverlong) = ([], false) }
        guard !isOverlong else { return nil }
        guard let first = line.first else { return dispatch() }
        if first == UInt8(ascii: ":") { return .heard }
        let text = String(decoding: line, as: UTF8.self)
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count == 2 ? parts[1] : ""
        if value.hasPrefix(" ") { value.removeFirst() }
        switch parts[0] {
        case "event": event = String(value)
        case "data":
            if data.utf8.count + value.utf8.count < HintReader.longest {
                data += (data.isEmpty ? "" : "\n") + value
            }
        default: break  // id, retry and what is to come
        }
        return nil
    }

    private mutating func dispatch() -> StreamNews? {
        defer { (event, data) = ("", "") }
        guard !event.isEmpty || !data.isEmpty else { return nil }
        let json = try? JSON.parse(Array(data.utf8))
        switch event {
        case "ready": return .ready
        case "changed": return .changed(within: json.flatMap(seconds))
        case "end":
            let reason = if case .string(let text) = json?["reason"] { text } else { "" }
            let mayReturn = if case .bool(let truth) = json?["retry"] { truth } else { true }
            return .ended(reason: reason, mayReturn: mayReturn)
        default: return .heard  // an event of a later version
        }
    }

    private func seconds(_ json: JSON) -> Duration? {
        guard case .number(let number) = json["within"], let value = number.double, value > 0, value <= 3600
        else { return nil }
        return .milliseconds(Int64(value * 1000))
    }
}
