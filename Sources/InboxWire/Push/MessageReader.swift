import Foundation
package import InboxModel
package import Platform

/// Reads the message of a push into a draft and checks it.
package struct MessageReader {
    private let limits: Limits
    private let now: Instant
    /// What was accepted although it is probably not what the sender wanted.
    package private(set) var warnings: [String] = []

    /// A reader at the database's time `now`, which an expiry must lie behind.
    package init(limits: Limits, now: Instant) {
        self.limits = limits
        self.now = now
    }

    /// Reads a message; members that are not known are ignored, so that newer clients keep working.
    package mutating func draft(_ field: JSONField) throws(InboxError) -> Draft {
        guard case .object = field.value else { throw field.wrongKind("an object") }
        if let template = field.member(unlessNull: "template") {
            throw template.invalid("templates are not supported")
        }
        let title = try field.required("title").string()
        var draft = Draft(title: title, body: try body(of: field))
        if let type = try text(of: field, "content_type", "content-type") { draft.contentType = type }
        if let extra = field.member(unlessNull: "extra") { draft.extra = try self.extra(extra) }
        draft.icon = try icon(of: field)
        if let expiry = field.member(unlessNull: "expiry") { draft.expiry = try self.expiry(expiry) }
        try draft.validate(against: limits, at: now, path: field.path)
        return draft
    }

    /// The body as bytes; base64 is decoded here, so that everything behind knows only the content.
    private func body(of field: JSONField) throws(InboxError) -> [UInt8] {
        let body = try field.required("body")
        let text = try body.string()
        let encoding = try self.text(of: field, "content_encoding", "content-encoding") ?? "utf-8"
        switch encoding.lowercased() {
        case "utf-8", "utf8": return Array(text.utf8)
        case "base64":
            let digits = text.utf8.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
            guard let bytes = Data(base64Encoded: Data(digits)) else { throw body.invalid("is not base64") }
            return Array(bytes)
        default:
            throw .invalid(field: field.path(of: "content_encoding"), reason: "must be 'utf-8' or 'base64'")
        }
    }

    /// A text under either spelling of its name; an empty one counts as absent.
    private func text(of field: JSONField, _ name: String, _ other: String) throws(InboxError) -> String? {
        guard let member = field.member(unlessNull: name) ?? field.member(unlessNull: other) else {
            return nil
        }
        let text = try member.string()
        return text.isEmpty ? nil : text
    }

    private func icon(of field: JSONField) throws(InboxError) -> String? {
        guard let icons = field.member(unlessNull: "icons") else { return nil }
        guard case .object = icons.value else { throw icons.wrongKind("an object") }
        guard let icon = try icons.member(unlessNull: "list_icon")?.string(), !icon.isEmpty else {
            return nil
        }
        return icon
    }

    private func expiry(_ field: JSONField) throws(InboxError) -> Expiry {
        if case .string(let text) = field.value {
            guard let time = CalendarTime(text: text) else {
                throw field.invalid("must be a time in UTC such as 2031-05-06T07:08:09, or seconds from now")
            }
            return .at(time.instant)
        }
        let seconds = try field.integer()
        guard seconds >= 0 else { throw field.invalid("must not be negative") }
        // Far beyond every limit it is no longer a number to calculate with.
        return seconds == 0 ? .never : .after(seconds: min(seconds, MessageReader.longestSeconds))
    }

    /// A thousand years.
    private static let longestSeconds: Int64 = 31_556_952_000
}

extension MessageReader {
    /// Reads `extra` into texts: numbers keep their spelling, booleans are `true` and `false`, null is left out.
    private mutating func extra(_ field: JSONField) throws(InboxError) -> [String: String] {
        var extra: [String: String] = [:]
        for (name, value) in try field.members() {
            // The path names all of `extra`: a key can hold anything, also what would look like another path.
            let place = JSONField(value.value, path: field.path)
            guard !name.utf8.contains(0) else { throw place.invalid("a key contains the character U+0000") }
            if name == Draft.namedUserKey {
                guard case .string(let raw) = value.value else { throw value.wrongKind("a string") }
                extra[name] = try NamedUserID(target: raw, field: value.path).text
                continue
            }
            warnIfLookalike(name, value.path)
            if let text = try text(place, of: name) { extra[name] = text }
        }
        return extra
    }

    private func text(_ field: JSONField, of name: String) throws(InboxError) -> String? {
        switch field.value {
        case .null: return nil
        case .bool(let truth): return truth ? "true" : "false"
        case .number(let number): return number.text
        case .string: return try field.string()
        case .array, .object:
            throw field.invalid("the value of '\(name)' must be a string, but is \(field.value.kind)")
        }
    }

    /// Tells of a key that differs from the filter's by case or blanks only: it does not filter.
    private mutating func warnIfLookalike(_ name: String, _ path: String) {
        guard NamedUserID.trimmed(name).lowercased() == Draft.namedUserKey else { return }
        warnings.append("\(path) is not '\(Draft.namedUserKey)': the message is not limited to that person")
    }
}
