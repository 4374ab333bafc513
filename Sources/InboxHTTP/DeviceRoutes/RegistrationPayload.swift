import InboxModel
import InboxService
import InboxWire

/// What an SDK's channel payload says of a device; null and unknown keys count for nothing.
enum RegistrationPayload {
    /// Texts and numbers that are kept for the operator, by name.
    private static let details: Set<String> = [
        "locale_language", "locale_country", "timezone", "app_version", "sdk_version", "device_model",
        "device_os", "android_api_version", "location_settings",
    ]

    /// A longer detail is left out: nothing that a device says of itself is worth more.
    private static let maximumDetailBytes = 255

    /// A longer address is none: FCM's, the longest, have about 200 characters.
    private static let maximumAddressBytes = 4096

    /// Reads the body of a creation, which must name the device's type, or of an update, which may.
    ///
    /// - Throws: `InboxError.invalid` naming the key.
    static func registration(
        in body: [UInt8], isNew: Bool, limits: Limits
    ) throws(InboxError) -> Registration {
        let channel = try JSONField(body: body).required("channel")
        guard case .object = channel.value else { throw channel.wrongKind("an object") }
        var registration = Registration(deviceType: try deviceType(channel, isNew: isNew))
        registration.isOptedIn = try channel.member(unlessNull: "opt_in")?.bool()
        registration.hasBackground = try channel.member(unlessNull: "background")?.bool()
        registration.pushAddress = try address(channel)
        if try channel.member(unlessNull: "set_tags")?.bool() ?? false {
            registration.tags = try tags(channel.member(unlessNull: "tags"), limits)
        }
        if let changes = channel.member(unlessNull: "tag_changes") {
            registration.addedTags = try tags(changes.member(unlessNull: "add"), limits)
            registration.removedTags = try tags(changes.member(unlessNull: "remove"), limits)
        }
        registration.detailsJSON = detailsJSON(channel)
        return registration
    }

    private static func deviceType(_ channel: JSONField, isNew: Bool) throws(InboxError) -> DeviceType? {
        guard let field = channel.member(unlessNull: "device_type") else {
            guard isNew else { return nil }
            throw channel.invalid("'device_type' must be set")
        }
        guard let type = DeviceType(text: try field.string()), [.ios, .android, .amazon].contains(type) else {
            throw field.invalid("must be ios, android or amazon")
        }
        return type
    }

    static func address(_ channel: JSONField) throws(InboxError) -> String? {
        guard let field = channel.member(unlessNull: "push_address") else { return nil }
        let address = try field.string()
        guard address.utf8.count <= maximumAddressBytes else {
            throw field.invalid(
                "is longer than \(maximumAddressBytes) bytes",
                limit: Limit("push_address_bytes", maximumAddressBytes))
        }
        return address
    }

    static func tags(_ field: JSONField?, _ limits: Limits) throws(InboxError) -> [String] {
        guard let field else { return [] }
        let elements = try field.elements()
        guard elements.count <= limits.tagsPerChannel else {
            throw field.invalid(
                "has more than \(limits.tagsPerChannel) tags",
                limit: Limit("tags_per_channel", limits.tagsPerChannel))
        }
        var tags: [String] = []
        for element in elements {
            let tag = try element.string()
            try TagName.validate(tag: tag, field: element.path, limits: limits)
            tags.append(tag)
        }
        return tags
    }

    private static func detailsJSON(_ channel: JSONField) -> String {
        guard case .object(let members) = channel.value else { return "{}" }
        let bytes = JSONWriter.bytes { writer in
            writer.object { details in
                for member in members where self.details.contains(member.name) && isDetail(member.value) {
                    details.name(member.name)
                    details.value(member.value)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDetail(_ value: JSON) -> Bool {
        switch value {
        case .string(let text): text.utf8.count <= maximumDetailBytes && !text.utf8.contains(0)
        case .number(let number): number.int64 != nil
        case .bool: true
        case .null, .array, .object: false
        }
    }
}
