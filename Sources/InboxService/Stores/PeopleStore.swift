package import InboxModel

/// People, and who is logged in where; see `InboxStore`.
package protocol PeopleStore: AnyObject {
    /// Logs a channel in as a person (made if unknown), or out with nil; again is a no-op. Nothing if the channel is unknown.
    ///
    /// With `onlyIf`, a log-out happens only while that person is logged in.
    func associate(_ channel: ChannelID, with person: NamedUserID?, onlyIf: NamedUserID?, in app: AppID)
        async throws -> Association?
    func association(of channel: ChannelID, in app: AppID) async throws -> Association?
    func namedUser(_ person: NamedUserID, in app: AppID) async throws -> NamedUserRecord?
    /// Returns the people that are unknown.
    func changeTags(_ change: TagChange, ofPeople people: [NamedUserID], in app: AppID) async throws
        -> [NamedUserID]
}
