package import InboxModel

/// Messages as backends send and see them; see `InboxStore`.
package protocol SendStore: AnyObject {
    /// Sends all or nothing, in one transaction.
    func send(_ sends: [Send], for app: AppCredentials) async throws -> [SendOutcome]
    /// Who an audience reaches now, without sending: recipients and unknown selectors.
    func reach(_ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials) async throws
        -> (recipients: Int, unknown: [String])
    /// Takes a message back from every view; false if it is unknown, expired or already taken back.
    func recall(_ message: MessageID, in app: AppID) async throws -> Bool
    func message(_ message: MessageID, in app: AppID) async throws -> MessageReport?
    /// Newest first, at most `limit`, those behind `before` in list order. Counts are not filled in (zero).
    func messages(in app: AppID, before: MessageID?, limit: Int) async throws -> [MessageReport]
}
