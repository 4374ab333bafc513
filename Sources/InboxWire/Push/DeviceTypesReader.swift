package import InboxModel

extension DeviceTypes {
    /// Reads `device_types`: `"all"`, one type, or an array of types of which `"all"` may be one.
    package init(_ field: JSONField) throws(InboxError) {
        var fields = [field]
        if case .array = field.value { fields = try field.elements() }
        guard !fields.isEmpty else { throw field.invalid("must not be empty") }
        var types: DeviceTypes = []
        for field in fields { types.formUnion(try DeviceTypes.one(field)) }
        self = types
    }

    private static func one(_ field: JSONField) throws(InboxError) -> DeviceTypes {
        let text = try field.string()
        if text.lowercased() == "all" { return .all }
        // An open channel's type is `open::NAME`; alone, the word is none.
        if let type = DeviceType(text: text), type != .open { return DeviceTypes(type) }
        let isKnown = ["wns", "email", "sms"].contains(text) || text.hasPrefix("open::")
        throw field.invalid("the device type '\(text)' is \(isKnown ? "not supported" : "unknown")")
    }
}
