package import InboxModel

/// What is kept about a person as a whole; see `InboxStore`.
///
/// Nothing, or false, if the person is unknown.
package protocol PrivacyStore: AnyObject {
    /// The person's own inbox as a session would see it.
    func list(of person: NamedUserID, in app: AppID) async throws -> ListSnapshot?
    /// Everything there is, up to the limit of each kind; that it was asked for is audited.
    func dossier(of person: NamedUserID, in app: AppID, for actor: String) async throws -> Dossier?
    func holdings(of person: NamedUserID, in app: AppID) async throws -> PersonHoldings?
    /// Deletes the person with inbox, tags, sessions and their events, and logs the devices out.
    ///
    /// What a message says goes too, if nobody else holds it. The audit keeps what was done to the person, by name.
    func erase(_ person: NamedUserID, in app: AppID, by actor: String) async throws -> Bool
}
