package import InboxModel

/// A change of tags as a backend asks for it, checked.
package struct TagRequest<Target: Sendable>: Sendable {
    package var targets: [Target]
    package var change: TagChange

    /// Reads `add`, `remove` and `set`, and the audience by `target`, which gets each text of the known `keys`.
    private init(
        _ body: [UInt8], keys: Set<String>, limits: Limits,
        target: (_ text: String, _ path: String) throws(InboxError) -> Target
    ) throws(InboxError) {
        let root = try JSONField(body: body)
        let audience = try root.required("audience")
        targets = []
        for (name, field) in try audience.members() {
            guard keys.contains(name) else {
                throw field.invalid("the selector '\(name)' is not supported here")
            }
            var fields = [field]
            if case .array = field.value { fields = try field.elements() }
            for field in fields { targets.append(try target(try field.string(), field.path)) }
        }
        guard !targets.isEmpty else { throw audience.invalid("must name someone") }
        guard targets.count <= limits.selectorsPerPush else {
            throw audience.invalid(
                "names more than \(limits.selectorsPerPush)",
                limit: Limit("selectors_per_push", limits.selectorsPerPush))
        }
        change = try TagChange(root, limits: limits)
    }
}

extension TagRequest<ChannelID> {
    /// Reads the body of a change of channels' tags.
    package init(channels body: [UInt8], limits: Limits) throws(InboxError) {
        let keys: Set = ["channel", "ios_channel", "android_channel", "amazon_channel", "web_channel"]
        try self.init(body, keys: keys, limits: limits) { text, path throws(InboxError) in
            guard let channel = ChannelID(text: text) else {
                throw .invalid(field: path, reason: "must be a channel's UUID")
            }
            return channel
        }
    }
}

extension TagRequest<NamedUserID> {
    /// Reads the body of a change of people's tags.
    package init(people body: [UInt8], limits: Limits) throws(InboxError) {
        try self.init(body, keys: ["named_user_id"], limits: limits) { text, path throws(InboxError) in
            try NamedUserID(text, field: path)
        }
    }
}

extension TagChange {
    /// Reads `add`, `remove` and `set` of an object: maps of groups to one tag or an array of tags.
    package init(_ field: JSONField, limits: Limits) throws(InboxError) {
        self.init()
        add = try TagChange.groups(field.member(unlessNull: "add"), limits)
        remove = try TagChange.groups(field.member(unlessNull: "remove"), limits)
        set = try TagChange.groups(field.member(unlessNull: "set"), limits)
        try validate()
    }

    private static func groups(_ field: JSONField?, _ limits: Limits) throws(InboxError) -> [String: [String]]
    {
        var groups: [String: [String]] = [:]
        guard let field else { return groups }
        for (group, tags) in try field.members() {
            try TagName.validate(group: group, field: tags.path, limits: limits)
            guard !group.hasPrefix("ua_") else {
                throw tags.invalid("groups that begin with 'ua_' are reserved")
            }
            let texts = try tags.strings()
            guard texts.count <= limits.tagsPerGroupInRequest else {
                throw tags.invalid(
                    "has more than \(limits.tagsPerGroupInRequest) tags",
                    limit: Limit("tags_per_group_in_request", limits.tagsPerGroupInRequest))
            }
            for tag in texts { try TagName.validate(tag: tag, field: tags.path, limits: limits) }
            groups[group] = texts
        }
        return groups
    }
}
