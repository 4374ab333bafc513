/// What the server says to a send.
struct PushAnswer: Decodable {
    let ok: Bool
    let messageIDs: [String]
    let pushIDs: [String]
    /// Inboxes reached, over all pushes of the request.
    let recipients: Int?
    /// Selectors that name nobody.
    let unknown: [String]?
    let state: String?

    private enum CodingKeys: String, CodingKey {
        case ok, recipients, unknown, state
        case messageIDs = "message_ids"
        case pushIDs = "push_ids"
    }
}

/// What the server says to a new channel.
struct ChannelAnswer: Decodable {
    let channelID: String

    private enum CodingKeys: String, CodingKey {
        case channelID = "channel_id"
    }
}

/// What the server says to a device that asks for a token.
struct TokenAnswer: Decodable {
    let token: String
    /// Milliseconds.
    let expiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case token
        case expiresIn = "expires_in"
    }
}

/// What the server says to a new user.
struct UserAnswer: Decodable {
    let id: String
    let password: String

    private enum CodingKeys: String, CodingKey {
        case id = "user_id"
        case password
    }
}

/// What the server says to a change of login: all five members that an iOS device requires.
struct ContactAnswer: Decodable {
    struct Contact: Decodable {
        let id: String
        let isAnonymous: Bool
        let associated: String

        private enum CodingKeys: String, CodingKey {
            case id = "contact_id"
            case isAnonymous = "is_anonymous"
            case associated = "channel_association_timestamp"
        }
    }

    let contact: Contact
    let token: String
    let tokenExpiresIn: Int

    private enum CodingKeys: String, CodingKey {
        case contact, token
        case tokenExpiresIn = "token_expires_in"
    }
}
