package import InboxModel

/// Messages as backends send and see them; see `InboxStore`.
package protocol SendStore: AnyObject {
    /// Sends all or nothing, in one transaction, which also keeps the request's key.
    ///
    /// - Throws: `InboxError.conflict` if the key came with another request before.
    func send(_ sends: [Send], for app: AppCredentials, as terms: SendTerms) async throws -> SendResult
    /// What a request was answered with if it came before under its key, within 24 hours.
    ///
    /// - Throws: `InboxError.conflict` if the key came with another request.
    func firstAnswer(to request: RepeatableRequest, in app: AppID) async throws -> FirstAnswer?
    /// Who an audience reaches now, without sending: recipients and unknown selectors.
    func reach(_ audience: Audience, _ deviceTypes: DeviceTypes, for app: AppCredentials) async throws
        -> (recipients: Int, unknown: [String])
    /// Takes a message back from every view, also from those that would have got it yet.
    ///
    /// - Parameter actor: who asks, for the audit.
    func recall(_ message: MessageID, in app: AppID, by actor: String) async throws -> RecallOutcome
    func message(_ message: MessageID, in app: AppID) async throws -> MessageReport?
    /// Newest first, at most `limit`, those behind `before` in list order. Counts are not filled in (zero).
    func messages(in app: AppID, before: ListPosition?, limit: Int) async throws -> [MessageReport]
    /// Where a message stands in list order; nothing if it is unknown.
    func position(of message: MessageID, in app: AppID) async throws -> ListPosition?
    /// Writes down who was given which body; what was written before stays as it was.
    func record(_ fetches: [Fetch]) async throws
}
