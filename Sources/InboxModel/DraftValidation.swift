package import Platform

extension Draft {
    /// Key of `extra` by which a message is shown to one person only.
    package static let namedUserKey = "named_user_id"

    /// Checks everything that the limits bound.
    ///
    /// - Parameters:
    ///   - now: the database's time; an expiry must lie behind it.
    ///   - path: where the message stands in the body, for refusals.
    /// - Throws: `InboxError.tooLarge` for a body over its limit, `InboxError.invalid` for everything else.
    package func validate(against limits: Limits, at now: Instant, path: String) throws(InboxError) {
        try validateTitle(limits, "\(path).title")
        guard body.count <= limits.messageBodyBytes else {
            throw .tooLarge(
                field: "\(path).body", reason: "is larger than \(limits.messageBodyBytes) bytes",
                limit: Limit("message_body_bytes", limits.messageBodyBytes))
        }
        try validateContentType(limits, "\(path).content_type")
        try validateExtra(limits, "\(path).extra")
        try validateIcon(limits, "\(path).icons.list_icon")
        if case .at(let instant) = expiry, instant <= now {
            throw .invalid(field: "\(path).expiry", reason: "lies in the past")
        }
    }

    private func validateTitle(_ limits: Limits, _ path: String) throws(InboxError) {
        guard !title.isEmpty else { throw .invalid(field: path, reason: "must not be empty") }
        guard title.utf8.count <= limits.titleBytes else {
            throw .invalid(
                field: path, reason: "is longer than \(limits.titleBytes) bytes",
                limit: Limit("title_bytes", limits.titleBytes))
        }
    }

    /// A media type: it becomes a header's value, so nothing that could end the header gets in.
    private func validateContentType(_ limits: Limits, _ path: String) throws(InboxError) {
        let parts = contentType.split(separator: "/", omittingEmptySubsequences: false)
        let isPrintable = contentType.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        guard isPrintable, parts.count >= 2, parts.prefix(2).allSatisfy({ !$0.allSatisfy(\.isWhitespace) })
        else {
            throw .invalid(field: path, reason: "must be a media type such as text/html")
        }
        guard contentType.utf8.count <= limits.contentTypeBytes else {
            throw .invalid(
                field: path, reason: "is longer than \(limits.contentTypeBytes) bytes",
                limit: Limit("content_type_bytes", limits.contentTypeBytes))
        }
    }

    private func validateExtra(_ limits: Limits, _ path: String) throws(InboxError) {
        guard extra.count <= limits.extraKeys else {
            throw .invalid(
                field: path, reason: "has more than \(limits.extraKeys) keys",
                limit: Limit("extra_keys", limits.extraKeys))
        }
        let bytes = extra.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= limits.extraBytes else {
            throw .invalid(
                field: path, reason: "has more than \(limits.extraBytes) bytes of keys and values",
                limit: Limit("extra_bytes", limits.extraBytes))
        }
    }

    private func validateIcon(_ limits: Limits, _ path: String) throws(InboxError) {
        guard let icon else { return }
        guard ["http://", "https://", "ua:"].contains(where: { icon.lowercased().hasPrefix($0) }),
            icon.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.properties.generalCategory != .control })
        else { throw .invalid(field: path, reason: "must be an http or https URL, or begin with ua:") }
        guard icon.utf8.count <= limits.iconBytes else {
            throw .invalid(
                field: path, reason: "is longer than \(limits.iconBytes) bytes",
                limit: Limit("icon_bytes", limits.iconBytes))
        }
    }
}

extension NamedUserID {
    /// The person that a message's `extra` names: an id as it would be kept, since the filter compares whole texts.
    ///
    /// - Throws: `InboxError.invalid`, if the id is blank, too long, or would be trimmed.
    package init(target raw: String, field: String) throws(InboxError) {
        let id = try NamedUserID(raw, field: field)
        // String equality is canonical equivalence: composition may differ, trimmed characters may not.
        guard id.text == raw else {
            throw .invalid(field: field, reason: "must not begin or end with white space")
        }
        self = id
    }
}
