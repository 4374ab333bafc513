import InboxWire

/// Who a message is for, by options.
enum AudienceOptions {
    static let options: [Option] = [.namedUser, .channel, .tag, .all, .audience]

    /// The audience as the server reads it; nothing after a problem.
    static func read(_ arguments: inout Arguments) -> JSON? {
        let selectors = [("named_user", Option.namedUser), ("channel", .channel), ("tag", .tag)]
        var audiences = selectors.compactMap { name, option -> JSON? in
            let values = arguments.texts(option)
            return values.isEmpty ? nil : .object([JSONMember(name, .array(values.map { .string($0) }))])
        }
        if let audience = arguments.value(.audience, readJSON) { audiences.append(audience) }
        if arguments.isOn(.all) {
            if !audiences.isEmpty { arguments.report("--all and other selectors exclude each other") }
            return .string("all")
        }
        guard audiences.count != 1 else { return audiences[0] }
        if audiences.isEmpty, !arguments.isGiven(.audience) {
            arguments.report("who is it for? --named-user, --channel, --tag, --audience or --all is missing")
        }
        return .object([JSONMember("or", .array(audiences))])
    }

    private static func readJSON(_ text: String) throws(Unreadable) -> JSON {
        do {
            return try JSON(parsing: Array(text.utf8))
        } catch {
            throw Unreadable("is not JSON: \(error.reason) at column \(error.column)")
        }
    }
}

extension Option {
    fileprivate static let namedUser = Option("named-user", "ID", "a person", also: [.repeated])
    fileprivate static let channel = Option(
        "channel", "ID", "a device, by its channel's UUID", also: [.repeated])
    fileprivate static let tag = Option("tag", "TAG", "devices with this tag", also: [.repeated])
    fileprivate static let all = Option(switch: "all", "everyone")
    fileprivate static let audience = Option(
        "audience", "JSON", #"any audience, such as {"and":[{"tag":"vip"},{"not":{"tag":"staff"}}]}"#)
}
