package import InboxModel

/// A request to log a channel in as a person, or out, as a backend or a device sends it.
package struct AssociationRequest: Hashable, Sendable {
    package var channel: ChannelID
    /// For an association the person; for a dissociation the one who must be logged in, if one is named.
    package var namedUser: NamedUserID?

    /// Reads the body of an association, which names a person.
    package static func associate(_ body: [UInt8]) throws(InboxError) -> AssociationRequest {
        let root = try JSONField(body: body)
        var request = try AssociationRequest(root)
        let person = try root.required("named_user_id")
        request.namedUser = try NamedUserID(try person.string(), field: person.path)
        return request
    }

    /// Reads the body of a dissociation, which may name a person; null and an empty text name nobody.
    package static func disassociate(_ body: [UInt8]) throws(InboxError) -> AssociationRequest {
        let root = try JSONField(body: body)
        var request = try AssociationRequest(root)
        if let person = root.member(unlessNull: "named_user_id"), person.value != .string("") {
            request.namedUser = try NamedUserID(try person.string(), field: person.path)
        }
        return request
    }

    private init(_ root: JSONField) throws(InboxError) {
        guard case .object = root.value else { throw root.wrongKind("an object") }
        if let email = root.member(unlessNull: "email_address") {
            throw email.invalid("e-mail channels are not supported")
        }
        let id = try root.required("channel_id")
        guard let channel = ChannelID(text: try id.string()) else {
            throw id.invalid("must be a channel's UUID")
        }
        // The type is known from the channel's registration; published clients send it or leave it out.
        _ = try root.member(unlessNull: "device_type")?.string()
        self.channel = channel
        namedUser = nil
    }
}
