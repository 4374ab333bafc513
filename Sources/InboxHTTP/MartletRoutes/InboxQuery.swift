import HTTPCore
import InboxModel
import InboxService
import Platform

/// Which messages of an inbox are asked for.
struct InboxQuery: Hashable, Sendable {
    /// Messages on a page; the whole view if nothing was said.
    var limit: Int?
    /// Only what stands behind it in list order.
    var before: ListPosition?
    var onlyUnread = false
    /// Values that `extra` must have, by key.
    var extra: [String: String] = [:]

    /// Most messages of a page: as many as an inbox can hold.
    static let largestLimit = 10_000
    /// Each costs a comparison with every message of the inbox.
    static let mostFilters = 10

    /// Nothing but the whole view.
    var isPlain: Bool { limit == nil && before == nil && !onlyUnread && extra.isEmpty }

    /// The whole view.
    init() {}

    init(_ request: Request) throws(InboxError) {
        for (name, value) in request.queryPairs {
            switch name {
            case "limit":
                limit = try Request.pageLimit(value, "messages_per_page", upTo: InboxQuery.largestLimit)
            case "before": before = try InboxQuery.position(value)
            case "unread": onlyUnread = try InboxQuery.truth(value, field: name)
            default: try add(value, under: name)
            }
        }
    }

    /// The query in one spelling, for an entity tag.
    var text: String { isPlain ? InboxQuery.plainText : spelled }

    private static let plainText = InboxQuery().spelled

    private var spelled: String {
        let filters = extra.sorted { $0.key < $1.key }.map {
            "\($0.key.debugDescription)=\($0.value.debugDescription)"
        }
        return "\(limit ?? 0) \(before?.text ?? "") \(onlyUnread) \(filters.joined(separator: " "))"
    }

    private mutating func add(_ value: String, under name: String) throws(InboxError) {
        guard name.hasPrefix("extra.") else { return }
        let key = String(name.dropFirst("extra.".count))
        guard !key.isEmpty else { throw .invalid(field: name, reason: "must name a key, as in extra.topic") }
        guard !name.utf8.contains(0), !value.utf8.contains(0) else {
            throw .invalid(field: name, reason: "must not contain the character U+0000")
        }
        guard extra[key] == nil else { throw .invalid(field: name, reason: "is given twice") }
        extra[key] = value
        guard extra.count <= InboxQuery.mostFilters else {
            throw .invalid(
                field: name, reason: "is one filter too many",
                limit: Limit("extra_filters", InboxQuery.mostFilters))
        }
    }

    /// `true` or `false`.
    static func truth(_ text: String, field: String) throws(InboxError) -> Bool {
        switch text {
        case "true": true
        case "false": false
        default: throw .invalid(field: field, reason: "must be true or false")
        }
    }

    private static func position(_ text: String) throws(InboxError) -> ListPosition {
        guard let position = ListPosition(text: text) else {
            throw .invalid(field: "before", reason: "must be the 'next' of a page")
        }
        return position
    }
}

extension ListPosition {
    /// A place between pages, as clients carry it: `1764532800000-` and the message's id.
    var text: String { "\(sent.milliseconds)-\(message.text)" }

    /// Reads `text`; nothing if it is none.
    init?(text: String) {
        guard let dash = text.firstIndex(of: "-"), let milliseconds = Int64(text[..<dash]),
            abs(milliseconds) < 1 << 50,
            let message = MessageID(text: text[text.index(after: dash)...].utf8Text)
        else { return nil }
        self.init(sent: Instant(milliseconds: milliseconds), message: message)
    }
}

extension Substring {
    fileprivate var utf8Text: String.UTF8View { String(self).utf8 }
}
