package import InboxModel

/// Reads the audience of a push: selectors joined by and, or, not.
package struct AudienceReader {
    private let limits: Limits
    /// Values of selectors read so far; each costs the database a look-up.
    private var selectors = 0

    package init(limits: Limits) { self.limits = limits }

    /// Reads a whole audience.
    ///
    /// Names of selectors are matched without regard to case, as published libraries write some in capitals.
    package mutating func audience(_ field: JSONField) throws(InboxError) -> Audience {
        selectors = 0
        guard case .string(let word) = field.value else { return try selector(field, depth: 1) }
        switch word.lowercased() {
        case "all": return .everyone
        case "triggered": throw field.invalid("the audience 'triggered' is not supported")
        default: throw field.invalid("must be 'all' or an object with a selector")
        }
    }

    private mutating func selector(_ field: JSONField, depth: Int) throws(InboxError) -> Audience {
        guard depth <= limits.audienceDepth else {
            throw field.invalid(
                "selectors are more than \(limits.audienceDepth) levels deep",
                limit: Limit("audience_depth", limits.audienceDepth))
        }
        if case .string(let word) = field.value, word.lowercased() == "all" {
            throw field.invalid("'all' is not allowed inside another selector")
        }
        let (kind, value, attributes) = try parts(of: field)
        let audience =
            switch kind {
            case .leaf(let leaf): try self.leaf(leaf, value, attributes)
            case .compound(let compound): try self.compound(compound, value, depth: depth)
            }
        if let stray = attributes.first(where: { !kind.attributes.contains($0.key) }) {
            throw stray.value.invalid("'\(stray.key)' is not a selector and does not belong to this one")
        }
        return audience
    }

    /// The one selector of an object, its value, and the texts that ride along.
    private func parts(
        of field: JSONField
    ) throws(InboxError) -> (kind: SelectorKind, value: JSONField, attributes: [String: JSONField]) {
        var found: (kind: SelectorKind, value: JSONField)?
        var attributes: [String: JSONField] = [:]
        for (name, value) in try field.members() {
            let word = name.lowercased()
            if SelectorKind.attributeNames.contains(word) {
                attributes[word] = value
                continue
            }
            guard let kind = SelectorKind(word) else {
                let known = SelectorKind.unsupported.contains(word)
                throw value.invalid(
                    known ? "the selector '\(word)' is not supported" : "the selector '\(name)' is unknown")
            }
            guard found == nil else { throw value.invalid("an object holds one selector, not two") }
            found = (kind, value)
        }
        guard let found else { throw field.invalid("a selector must be set") }
        return (found.kind, found.value, attributes)
    }

    private mutating func compound(
        _ compound: SelectorKind.Compound, _ value: JSONField, depth: Int
    ) throws(InboxError) -> Audience {
        var isArray = false
        if case .array = value.value { isArray = true }
        // An object counts as an array of one.
        let fields = isArray ? try value.elements() : [value]
        guard !fields.isEmpty else { throw value.invalid("must not be empty") }
        guard compound != .not || fields.count == 1 else { throw value.invalid("'not' takes one selector") }
        var parts: [Audience] = []
        for field in fields { parts.append(try selector(field, depth: depth + 1)) }
        switch compound {
        case .and: return parts.count == 1 ? parts[0] : .all(parts)
        case .or: return parts.count == 1 ? parts[0] : .any(parts)
        case .not: return .not(parts[0])
        }
    }

    private mutating func leaf(
        _ leaf: SelectorKind.Leaf, _ value: JSONField, _ attributes: [String: JSONField]
    ) throws(InboxError) -> Audience {
        let texts = try self.texts(value)
        switch leaf {
        case .namedUser:
            var people: [NamedUserID] = []
            for (text, path) in texts { people.append(try NamedUserID(text, field: path)) }
            return .namedUsers(people)
        case .channel(let type):
            var channels: [ChannelID] = []
            for (text, path) in texts {
                guard let channel = ChannelID(text: text) else {
                    throw .invalid(field: path, reason: "must be a channel's UUID")
                }
                channels.append(channel)
            }
            return .channels(channels, type: type)
        case .tag:
            for (text, path) in texts { try TagName.validate(tag: text, field: path, limits: limits) }
            guard let field = attributes["group"] else {
                return .tags(texts.map(\.text), group: Audience.deviceTagGroup)
            }
            let group = try field.string()
            try TagName.validate(group: group, field: field.path, limits: limits)
            return .tags(texts.map(\.text), group: group)
        }
    }

    /// One text or an array of them, which is an implicit *or*; each counts as a selector.
    private mutating func texts(_ value: JSONField) throws(InboxError) -> [(text: String, path: String)] {
        var fields = [value]
        if case .array = value.value { fields = try value.elements() }
        guard !fields.isEmpty else { throw value.invalid("must not be empty") }
        selectors += fields.count
        guard selectors <= limits.selectorsPerPush else {
            throw value.invalid(
                "the push has more than \(limits.selectorsPerPush) selectors",
                limit: Limit("selectors_per_push", limits.selectorsPerPush))
        }
        var texts: [(String, String)] = []
        for field in fields { texts.append((try field.string(), field.path)) }
        return texts
    }
}

/// What an object of an audience selects by.
private enum SelectorKind: Equatable {
    case leaf(Leaf)
    case compound(Compound)

    enum Leaf: Equatable {
        case namedUser
        case channel(DeviceType?)
        case tag
    }

    enum Compound: Equatable {
        case and
        case or
        case not
    }

    /// The kind of a selector's name in lower case.
    init?(_ word: String) {
        guard let kind = SelectorKind.byName[word] else { return nil }
        self = kind
    }

    /// Names that stand beside this selector.
    var attributes: [String] { self == .leaf(.tag) ? ["group"] : [] }

    /// Names that belong to a selector and are none.
    static let attributeNames: Set<String> = ["group", "operator", "value", "precision"]

    private static let byName: [String: SelectorKind] = [
        "named_user": .leaf(.namedUser), "channel": .leaf(.channel(nil)),
        "ios_channel": .leaf(.channel(.ios)),
        "android_channel": .leaf(.channel(.android)), "amazon_channel": .leaf(.channel(.amazon)),
        "web_channel": .leaf(.channel(.web)), "tag": .leaf(.tag), "and": .compound(.and),
        "or": .compound(.or),
        "not": .compound(.not),
    ]

    /// Selectors that clients know and this server does not evaluate.
    static let unsupported: Set<String> = [
        "segment", "static_list", "subscription_list", "subscription_lists", "attribute", "open_channel",
        "alias",
        "device_token", "device_pin", "apid", "wns", "sms_id", "sms_sender", "email_address", "triggered",
    ]
}
