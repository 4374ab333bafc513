import InboxWire

/// A message and who it is for, by options: what every command takes that sends.
struct SendOptions {
    static let options: [Option] = AudienceOptions.options + MessageOptions.options + [.deviceType]

    private let audience: JSON
    private let message: MessageOptions
    private let deviceTypes: [String]

    /// Whether an end was asked for.
    var hasExpiry: Bool { message.hasExpiry }

    /// Nothing after a problem.
    static func read(_ arguments: inout Arguments) -> SendOptions? {
        let audience = AudienceOptions.read(&arguments)
        let message = MessageOptions.read(&arguments)
        let types = arguments.texts(.deviceType)
        guard let audience, let message else { return nil }
        return SendOptions(audience: audience, message: message, deviceTypes: types)
    }

    /// Members of the request.
    ///
    /// - Throws: `CommandFailure.refused` if the body's file cannot be read.
    func members() throws(CommandFailure) -> [JSONMember] {
        var members = [JSONMember("audience", audience), JSONMember("message", try message.json())]
        if !deviceTypes.isEmpty {
            members.append(JSONMember("device_types", .array(deviceTypes.map { .string($0) })))
        }
        return members
    }
}

extension Option {
    fileprivate static let deviceType = Option(
        "device-type", "TYPE", "only devices of this type: ios, android, amazon or web",
        also: [.repeated])
    /// `--dry-run`.
    static let sendDryRun = Option(
        switch: "dry-run", "say who would get it, and check the message, but send nothing")
}
