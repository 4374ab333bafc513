package import InboxModel

/// Installations and their credentials; see `InboxStore`.
package protocol ChannelStore: AnyObject {
    /// Makes a channel and its inbox; false if the id exists in this app.
    func register(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws -> Bool
    /// False if there is no such channel in this app.
    func update(_ channel: ChannelID, _ registration: Registration, in app: AppID) async throws -> Bool
    /// Makes a user bound to the channel's inbox, or to one of its own without a channel.
    ///
    /// - Throws: `InboxError.notFound` if the channel is unknown.
    func createUser(_ user: UserID, passwordDigest: [UInt8], channel: ChannelID?, deviceType: DeviceType)
        async throws
    /// Makes a channel the user's current one and moves what the user holds into its inbox; again is a no-op.
    ///
    /// - Throws: `InboxError.notFound` if the channel is unknown.
    func attach(_ channel: ChannelID, to user: UserID) async throws
    /// Makes a channel with its inbox and the user that its device chose a password for; false if the channel's id exists
    /// in this app.
    func register(
        _ channel: ChannelID, _ registration: Registration, for user: UserID, passwordDigest: [UInt8]
    )
        async throws -> Bool
    /// Marks a user's current channel as uninstalled, logs it out and ends the user; false if the channel is not the user's.
    func uninstall(_ channel: ChannelID, of user: UserID) async throws -> Bool
    /// The user whose current channel it is.
    func user(of channel: ChannelID, in app: AppID) async throws -> UserID?
    /// The user's current channel.
    func channel(of user: UserID) async throws -> ChannelID?
    func channel(_ channel: ChannelID, in app: AppID) async throws -> ChannelRecord?
    /// Returns the channels that are unknown.
    func changeTags(_ change: TagChange, ofChannels channels: [ChannelID], in app: AppID) async throws
        -> [ChannelID]
}
