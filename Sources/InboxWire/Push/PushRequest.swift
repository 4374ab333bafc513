package import InboxModel
package import Platform

/// One push as it was asked for, checked.
package struct PushRequest: Sendable {
    package var audience: Audience
    package var deviceTypes: DeviceTypes
    /// The message, unless the push is a notification alone.
    package var draft: Draft?
    /// What was accepted although it is probably not what the sender wanted.
    package var warnings: [String]
    /// The push as it came, as JSON text.
    package var json: String

    /// Reads the body of a push: one object, or an array of 1 to `limits.pushesPerRequest`.
    ///
    /// - Throws: the first refusal; one bad push refuses all.
    package static func parse(
        _ body: [UInt8], limits: Limits, now: Instant
    ) throws(InboxError) -> [PushRequest] {
        try several(try JSONField(body: body), limits: limits, now: now)
    }

    /// Reads one push object, or an array of them.
    static func several(
        _ root: JSONField, limits: Limits, now: Instant
    ) throws(InboxError) -> [PushRequest] {
        guard case .array(let elements) = root.value else {
            return [try PushRequest(root, limits: limits, now: now)]
        }
        guard !elements.isEmpty else { throw root.invalid("an array of pushes must not be empty") }
        guard elements.count <= limits.pushesPerRequest else {
            throw root.invalid(
                "has more than \(limits.pushesPerRequest) pushes",
                limit: Limit("pushes_per_request", limits.pushesPerRequest))
        }
        var pushes: [PushRequest] = []
        for field in try root.elements() {
            pushes.append(try PushRequest(field, limits: limits, now: now))
        }
        return pushes
    }

    /// Reads one push object.
    package init(_ field: JSONField, limits: Limits, now: Instant) throws(InboxError) {
        guard case .object = field.value else { throw field.wrongKind("an object") }
        var audiences = AudienceReader(limits: limits)
        audience = try audiences.audience(try field.required("audience"))
        deviceTypes = try DeviceTypes(try field.required("device_types"))
        let contents = ["notification", "in_app"].compactMap { field.member(unlessNull: $0) }
        for content in contents {
            guard case .object = content.value else { throw content.wrongKind("an object") }
        }
        var messages = MessageReader(limits: limits, now: now)
        draft = nil
        if let message = field.member(unlessNull: "message") { draft = try messages.draft(message) }
        guard draft != nil || !contents.isEmpty else {
            throw field.invalid("one of 'notification', 'message' and 'in_app' must be set")
        }
        warnings = messages.warnings
        if draft == nil { warnings.append("the push has no message: nothing is kept in any inbox") }
        json = String(decoding: JSONWriter.bytes { $0.value(field.value) }, as: UTF8.self)
    }
}

extension JSONField {
    /// The whole of a request's body.
    package init(body: [UInt8]) throws(InboxError) {
        do throws(JSONSyntaxError) {
            self.init(try JSON.parse(body))
        } catch {
            throw InboxError(error)
        }
    }
}
