import Foundation
import Platform

extension RunRecord: Codable {
    private enum Key: String, CodingKey {
        case format, version, tool, title, run, options
        case started = "started_us"
        case loadTime = "load_us"
        case shards, totals, sends, outages, hints, checked, unanswered
        case own = "simulator"
        case verdict
    }

    /// What the member `format` of every record says.
    private static let formatName = "martlet-run"

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        tool = try values.decode(String.self, forKey: .tool)
        title = try values.decode(String.self, forKey: .title)
        run = try values.decode(String.self, forKey: .run)
        options = try values.decode([Option].self, forKey: .options)
        started = Instant(rawValue: try values.decode(Int64.self, forKey: .started))
        loadTime = .microseconds(try values.decode(Int64.self, forKey: .loadTime))
        shards = try values.decode(RunShards.self, forKey: .shards)
        totals = try values.decode(RunTotals.self, forKey: .totals)
        sends = try values.decode(Sends.self, forKey: .sends)
        outages = try values.decode(Outages.self, forKey: .outages)
        // Older records have none.
        hints = try values.decodeIfPresent(HintCounts.self, forKey: .hints) ?? HintCounts()
        checked = try values.decode(Int.self, forKey: .checked)
        unanswered = try values.decode(Int.self, forKey: .unanswered)
        own = try values.decode(OwnLoad.self, forKey: .own)
        verdict = try values.decode(RunVerdict.self, forKey: .verdict)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(RunRecord.formatName, forKey: .format)
        try values.encode(RunRecord.format, forKey: .version)
        try values.encode(tool, forKey: .tool)
        try values.encode(title, forKey: .title)
        try values.encode(run, forKey: .run)
        try values.encode(options, forKey: .options)
        try values.encode(started.rawValue, forKey: .started)
        try values.encode(loadTime.microseconds, forKey: .loadTime)
        try values.encode(shards, forKey: .shards)
        try values.encode(totals, forKey: .totals)
        try values.encode(sends, forKey: .sends)
        try values.encode(outages, forKey: .outages)
        try values.encode(hints, forKey: .hints)
        try values.encode(checked, forKey: .checked)
        try values.encode(unanswered, forKey: .unanswered)
        try values.encode(own, forKey: .own)
        try values.encode(verdict, forKey: .verdict)
    }

    /// The record as one JSON object, equal bytes for equal records.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Reads what `json` wrote.
    package init(json: [UInt8]) throws(RecordError) {
        let (decoder, data) = (JSONDecoder(), Data(json))
        let head: Head
        do { head = try decoder.decode(Head.self, from: data) } catch { throw RecordError.noRecord }
        guard head.format == RunRecord.formatName else { throw RecordError.noRecord }
        guard head.version == RunRecord.format else { throw RecordError.otherVersion(head.version) }
        guard let bounds = RecordBounds(json), bounds.areKept else {
            throw RecordError.damaged("it holds numbers that no run has")
        }
        do {
            self = try decoder.decode(RunRecord.self, from: data)
        } catch {
            throw RecordError.damaged(RunRecord.words(for: error))
        }
    }

    /// What must be known before the rest is read.
    private struct Head: Decodable {
        let format: String
        let version: Int
    }

    private static func words(for error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            return words(context.codingPath, context.debugDescription)
        case .keyNotFound(let key, let context):
            return words(context.codingPath, "\(key.stringValue) is missing")
        @unknown default:
            return "\(error)"
        }
    }

    private static func words(_ path: [any CodingKey], _ text: String) -> String {
        let place = path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        return place.isEmpty ? text : "\(place): \(text)"
    }
}
