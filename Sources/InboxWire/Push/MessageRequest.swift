package import InboxModel
package import Platform

/// A message to send as Martlet's own API takes it, checked.
///
/// Here a member that is not known is refused: `dryrun` must not send.
package struct MessageRequest: Sendable {
    package var audience: Audience
    package var deviceTypes: DeviceTypes
    package var draft: Draft
    /// Only tell who would get it.
    package var isDryRun: Bool
    package var warnings: [String]
    /// What was asked for, as JSON text.
    package var json: String

    package init(_ body: [UInt8], limits: Limits, now: Instant) throws(InboxError) {
        try self.init(
            try JSONField(body: body),
            allowing: ["audience", "device_types", "message", "options", "dry_run"],
            limits: limits, now: now)
    }

    /// Reads one that may have the members of `names` and no others.
    init(
        _ root: JSONField, allowing names: Set<String>, limits: Limits, now: Instant
    ) throws(InboxError) {
        try root.allowOnly(names)
        var audiences = AudienceReader(limits: limits)
        audience = try audiences.audience(try root.required("audience"))
        deviceTypes = try root.member(unlessNull: "device_types").map(DeviceTypes.init) ?? .all
        let message = try root.required("message")
        try message.allowOnly([
            "title", "body", "content_type", "content_encoding", "extra", "expiry", "icons",
        ])
        try root.member(unlessNull: "options")?.allowOnly([])
        var messages = MessageReader(limits: limits, now: now)
        draft = try messages.draft(message)
        warnings = messages.warnings
        isDryRun = try root.member(unlessNull: "dry_run")?.bool() ?? false
        json = String(decoding: JSONWriter.bytes { $0.value(root.value) }, as: UTF8.self)
    }
}

extension JSONField {
    /// Refuses members that are not among `names`.
    package func allowOnly(_ names: Set<String>) throws(InboxError) {
        for (name, field) in try members() where !names.contains(name) {
            throw field.invalid("'\(name)' is unknown here")
        }
    }
}
