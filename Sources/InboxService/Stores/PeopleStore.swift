package import InboxModel

/// People, and who is logged in where; see `InboxStore`.
package protocol PeopleStore: AnyObject {
    /// Logs a channel in as a person, who is made if unknown; again is a no-op.
    ///
    /// A proof that is for one device only is kept in the same transaction; another device's changes nothing.
    func logIn(_ channel: ChannelID, as person: NamedUserID, with proof: VerifiedProof?, in app: AppID)
        async throws -> LogInOutcome
    /// Logs a channel out, under a condition; again is a no-op. Nothing if the channel is unknown.
    ///
    /// Returns who is logged in then.
    func logOut(_ channel: ChannelID, _ condition: LogOut, in app: AppID) async throws -> Association?
    func association(of channel: ChannelID, in app: AppID) async throws -> Association?
    func namedUser(_ person: NamedUserID, in app: AppID) async throws -> NamedUserRecord?
    /// By the bytes of their ids, at most `limit`, those behind `after`, who need not exist.
    func namedUsers(in app: AppID, after: NamedUserID?, limit: Int) async throws -> [NamedUserRecord]
    /// Returns the people that are unknown.
    func changeTags(_ change: TagChange, ofPeople people: [NamedUserID], in app: AppID) async throws
        -> [NamedUserID]
}
