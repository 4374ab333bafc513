import InboxModel
import Platform

/// What is done to messages, and who is logged in.
extension Inbox {
    /// Marks messages as read: at once here, on the server as soon as it can be told.
    ///
    /// Durable on return. Ids that the inbox does not show change nothing.
    ///
    /// - Throws: `InboxClientError.notKept` or `.closed`.
    public func markRead(_ ids: [String]) throws(InboxClientError) {
        try perform(.mark(.read, messages(ids)))
    }

    /// Marks messages as unread again, as `markRead` marks them as read.
    ///
    /// - Throws: `InboxClientError.notKept`, `.closed`, or `.notSupported` over the device interface.
    public func markUnread(_ ids: [String]) throws(InboxClientError) {
        guard parts.canMarkUnread else { throw .notSupported("marking as unread") }
        try perform(.mark(.unread, messages(ids)))
    }

    /// Deletes messages for good, here at once.
    ///
    /// Durable on return. Ids that the inbox does not show change nothing.
    ///
    /// - Throws: `InboxClientError.notKept` or `.closed`.
    public func delete(_ ids: [String]) throws(InboxClientError) {
        try perform(.mark(.delete, messages(ids)))
    }

    /// The id of whoever is logged in on this device; the server may not know it yet.
    public var namedUser: String? { core.person?.text }

    /// Logs a person in on this device; what the device keeps of the person's inbox is shown at once.
    ///
    /// The server is told as soon as it can be. Should it refuse, `InboxEvent.loginRefused` tells, and nobody is logged in.
    ///
    /// - Parameters:
    ///   - id: 1 to 128 characters, without what is blank around it.
    ///   - proof: what the app's backend signed for the person; needed where the app's identity mode is `verified`.
    /// - Throws: `InboxClientError.badNamedUser` or `.badProof`, and nothing has changed; `.notKept` or `.closed`.
    public func logIn(as id: String, proof: String? = nil) throws(InboxClientError) {
        let person: NamedUserID
        do {
            person = try NamedUserID(id)
        } catch {
            guard case .invalid(_, let reason, _) = error else { throw .badNamedUser("is not valid") }
            throw .badNamedUser(reason)
        }
        if let proof, proof.isEmpty || proof.utf8.count > Inbox.proofBytes {
            throw .badProof("must have 1 to \(Inbox.proofBytes) bytes")
        }
        try perform(.logIn(Login(person, proof: proof)))
    }

    /// What servers take at most.
    private static let proofBytes = 4_096

    /// Logs whoever is logged in out: the person's messages are not shown any more.
    ///
    /// - Throws: `InboxClientError.notKept` or `.closed`.
    public func logOut() throws(InboxClientError) { try perform(.logIn(Login(nil))) }

    // MARK: Parts

    /// What somebody waits to have kept.
    private func perform(_ event: SyncEvent) throws(InboxClientError) {
        guard !isClosed else { throw .closed }
        if let failure = handle(event) { throw .notKept("\(failure)") }
        // It changed nothing now, but may repeat what was not kept before.
        guard let failure = kept.keepRest() else { return }
        feed.tell(.trouble(InboxTrouble(storage: failure)))
        throw .notKept("\(failure)")
    }

    private func messages(_ ids: [String]) -> [MessageID] { ids.compactMap { MessageID(wire: $0) } }
}
