package import InboxModel

/// What makes an app on one device known to a server: made once, and kept for as long as the app is installed.
package struct Installation: Hashable, Sendable {
    /// The channel that messages to this device go to.
    package let channel: ChannelID
    /// What the installation proves itself with: 22 to 128 characters of `A-Za-z0-9_-`, of at least 128 random bits.
    package let secret: String
    /// What opens the inbox; nothing before the server has answered the registration.
    package var credential: InboxCredential?

    /// The channel under which the server knows the installation: where it makes channels itself, the one it made.
    package var serverChannel: ChannelID { credential?.channel ?? channel }

    package init(channel: ChannelID, secret: String, credential: InboxCredential? = nil) {
        self.channel = channel
        self.secret = secret
        self.credential = credential
    }
}

/// Name and password that open the inbox of an installation.
package struct InboxCredential: Hashable, Sendable {
    package let user: String
    package let password: String
    /// The channel that the server made, where it does that.
    package var channel: ChannelID?

    package init(user: String, password: String, channel: ChannelID? = nil) {
        self.user = user
        self.password = password
        self.channel = channel
    }

    /// The value of the `Authorization` field: Basic, by RFC 7617.
    package var authorization: String { basicAuthorization(user, password) }
}
