/// A change of tags; `set` replaces the groups it names and nothing else.
package struct TagChange: Hashable, Sendable {
    package var add: [String: [String]] = [:]
    package var remove: [String: [String]] = [:]
    package var set: [String: [String]] = [:]

    package init() {}

    /// Checks what the parts of a change may hold together.
    ///
    /// - Throws: `InboxError.invalid`, if nothing is changed, `set` is not alone, or a tag is both added and removed.
    package func validate() throws(InboxError) {
        guard !(add.isEmpty && remove.isEmpty && set.isEmpty) else {
            throw .invalid(field: "", reason: "one of 'add', 'remove' and 'set' must be given")
        }
        guard set.isEmpty || (add.isEmpty && remove.isEmpty) else {
            throw .invalid(field: "set", reason: "must not stand beside 'add' or 'remove'")
        }
        for (group, tags) in add where !Set(tags).isDisjoint(with: remove[group] ?? []) {
            throw .invalid(field: "add.\(group)", reason: "a tag must not be in 'add' and 'remove'")
        }
    }
}

/// What tags and the groups they are in may be called.
package enum TagName {
    /// Checks a tag: 1 to 128 Unicode scalars, no control characters.
    ///
    /// Case counts, and nothing is trimmed.
    package static func validate(tag: String, field: String, limits: Limits) throws(InboxError) {
        let scalars = tag.unicodeScalars
        guard !scalars.allSatisfy(\.properties.isWhitespace) else {
            throw .invalid(field: field, reason: "must not be empty or blank")
        }
        guard scalars.count <= limits.tagScalars else {
            throw .invalid(
                field: field, reason: "is longer than \(limits.tagScalars) characters",
                limit: Limit("tag_scalars", limits.tagScalars))
        }
        guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid(field: field, reason: "must not contain control characters")
        }
    }

    /// Checks a group's name, which obeys the same rules as a tag.
    package static func validate(group: String, field: String, limits: Limits) throws(InboxError) {
        try validate(tag: group, field: field, limits: limits)
    }
}
