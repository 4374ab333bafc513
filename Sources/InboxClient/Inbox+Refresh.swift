import InboxModel
import Platform

/// Asking the server.
extension Inbox {
    /// Asks for the newest, behind all that was done here; whether it is there.
    ///
    /// False if the server cannot be reached, does not answer as it should, or asked to come back later, and while the
    /// inbox is switched off or the device cannot be registered. What was shown stays.
    public func refresh() async -> Bool {
        guard !isClosed else { return false }
        lastRefresh += 1
        let id = RefreshID(lastRefresh)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting[id] = continuation
                handle(.refresh(id))
            }
        } onCancel: {
            inBackground { await self.end(id, isThere: false) }
        }
    }

    /// The same, but waits only so long.
    ///
    /// What was asked goes on when the time is over, and shows itself when it comes.
    ///
    /// - Throws: `InboxClientError.timedOut`.
    public func refresh(within limit: Duration) async throws -> Bool {
        let end = parts.clock.uptime + limit
        return try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask { await self.refresh() }
            group.addTask { [clock = parts.clock] in
                await clock.wait(until: end)
                return nil
            }
            let first = try await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            if Task.isCancelled { return false }
            throw InboxClientError.timedOut
        }
    }

    /// Begins to hear of changes at once: the app is in the foreground.
    public func startWatching() { handle(.watching(true)) }

    /// Ends that: the app leaves the foreground.
    public func stopWatching() { handle(.watching(false)) }

    /// The network may be there again: what waits is tried at once.
    public func networkChanged() { handle(.reachable) }

    /// What came of a push.
    public enum PushOutcome: Hashable, Sendable {
        /// The inbox shows something new.
        case newData
        /// Nothing is new, or the push is not one of the inbox.
        case noData
        /// The server could not be asked.
        case failed
    }

    /// Refreshes if a push tells of messages of the inbox, by its field `_uamid`: one id, or several.
    public nonisolated func handlePush(_ userInfo: [AnyHashable: Any]) async -> PushOutcome {
        let ids: [Any] =
            switch userInfo["_uamid"] {
            case let text as String: [text]
            case let list as [Any]: list
            case .some, nil: []
            }
        guard ids.contains(where: { ($0 as? String).flatMap { MessageID(wire: $0) } != nil }) else {
            return .noData
        }
        return await refreshForPush()
    }

    private func refreshForPush() async -> PushOutcome {
        let before = messages
        guard await refresh() else { return .failed }
        return messages == before ? .noData : .newData
    }

    // MARK: What the core tells

    func end(_ id: RefreshID, isThere: Bool) {
        waiting.removeValue(forKey: id)?.resume(returning: isThere)
    }

    func tell(_ news: SyncNews) {
        switch news {
        case .refreshed(let id, let problem): end(id, isThere: problem == nil)
        case .loginRefused(let person, let problem):
            feed.tell(.loginRefused(namedUser: person.text, reason: problem.text))
        case .loginChanged(let reason): feed.tell(.loginChanged(InboxEvent.LoginChange(reason)))
        case .marksRefused(let messages, let problem):
            feed.tell(.marksRefused(messages: messages.map(\.text), reason: problem.text))
        case .installationReplaced: feed.tell(.installationReplaced)
        case .troubled(let problem): feed.tell(.trouble(InboxTrouble(problem)))
        }
    }
}

extension InboxEvent.LoginChange {
    /// What a stream's reason means.
    fileprivate init(_ reason: String) {
        self =
            switch reason {
            case "erased": .erased
            case "person_changed": .anotherPerson
            default: .loggedOut
            }
    }
}
