import InboxWire
import Platform

/// Forms of values for people.
enum Text {
    /// `2031-05-06T07:08:09Z`.
    static func time(_ instant: Instant) -> String {
        var bytes: [UInt8] = []
        CalendarTime(instant).appendSeconds(to: &bytes)
        return String(decoding: bytes, as: UTF8.self) + "Z"
    }

    /// `1 message`, `2 messages`.
    static func count(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? "\(one)s")"
    }

    /// A head and rows, in columns.
    static func table(_ head: [String], _ rows: [[String]]) -> [String] { columns([head] + rows) }

    /// Lines with columns as wide as their widest cell; control characters show as a question mark.
    static func columns(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map(plain) }
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return cells.joined(separator: "  ").trimmingEnd()
        }
    }

    /// A member of an answer in one cell.
    static func value(_ json: JSON) -> String {
        if json == .null { return "-" }
        if let texts = json.strings { return texts.joined(separator: ", ") }
        return json.string ?? String(decoding: JSONWriter.bytes { $0.value(json) }, as: UTF8.self)
    }

    /// Text from outside that cannot steer a terminal.
    static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.generalCategory == .control ? "?" : $0
                }))
    }
}

extension String {
    fileprivate func trimmingEnd() -> String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}
