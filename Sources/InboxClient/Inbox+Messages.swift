import ClientCore
public import Foundation
import HTTPCore
import InboxModel
import Platform

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What the inbox shows.
extension Inbox {
    /// The messages as they are now, the newest first.
    public var messages: [InboxMessage] { isClosed ? [] : core.shown(at: now.wall).messages }

    /// How many of `messages` are unread.
    public var unreadCount: Int { isClosed ? 0 : core.shown(at: now.wall).unreadCount }

    /// The messages whenever they change, beginning with those of now.
    public nonisolated var messageUpdates: InboxUpdates<[InboxMessage]> {
        InboxUpdates(source: shownMessages) { $0 }
    }

    /// The number of unread messages whenever it changes, beginning with that of now: what a badge shows.
    public nonisolated var unreadCountUpdates: InboxUpdates<Int> {
        InboxUpdates(source: shownMessages) { $0.unreadCount }
    }

    /// All that happens from now on and is to be told; of what is not taken, the last 64 are kept.
    ///
    /// Whoever is first to ask also gets `InboxEvent.storeRecovered`, should the file have been damaged when it was opened.
    public nonisolated var events: AsyncStream<InboxEvent> { feed.listen() }

    /// A message that is shown; nothing if it is unknown, expired, deleted, or not for whoever is logged in.
    public func message(id: String) -> InboxMessage? {
        guard !isClosed, let id = MessageID(wire: id) else { return nil }
        return core.shown(at: now.wall).row(of: id).map(InboxMessage.init)
    }

    /// The message that is shown and whose body is at an address, as `bodyRequest` has it.
    public func message(bodyURL: URL) -> InboxMessage? {
        guard let credential = core.stored.installation?.credential else { return nil }
        let wanted = bodyURL.absoluteString
        return messages.first { message in
            parts.base.description + parts.wire.body(of: message.content, for: credential).target == wanted
        }
    }

    /// The request for a message's body: its address, who asks, and a time limit.
    ///
    /// - Throws: `InboxClientError.noSuchMessage`, `.notRegistered` or `.closed`.
    public func bodyRequest(for id: String) throws(InboxClientError) -> URLRequest {
        guard !isClosed else { throw .closed }
        guard let credential = core.stored.installation?.credential else { throw .notRegistered }
        guard let message = message(id: id),
            var request = URLRequest(parts.wire.body(of: message.content, for: credential), to: parts.base)
        else { throw .noSuchMessage }
        request.timeoutInterval = parts.bodyTime / .seconds(1)
        return request
    }

    /// The channel that messages to this device alone are sent to, a UUID; nothing before the device is registered.
    public var channel: String? {
        guard let installation = core.stored.installation, installation.credential != nil else { return nil }
        return installation.serverChannel.text
    }

    /// The value of the `Authorization` field that opens this inbox; nothing before the device is registered.
    public var authorization: String? { core.stored.installation?.credential?.authorization }

    /// The value of an `Authorization` field for a name and a password: Basic, in UTF-8; a password may hold `:`.
    public static func authorization(name: String, password: String) -> String {
        basicAuthorization(name, password)
    }

    // MARK: What is shown

    /// Shows only messages that a test holds of, from now on; all of them without one.
    ///
    /// Lists, counts, look-ups and bodies follow it at once.
    public func setPredicate(_ predicate: (@Sendable (InboxMessage) -> Bool)?) {
        kept.core.options.predicate = predicate
        handle(.filtered(kept.core.options.filter))
    }

    /// The filter by named user.
    public var filter: NamedUserFilter { kept.core.options.filter }

    /// Filters by named user in another way from now on; lists, counts, look-ups and bodies follow it at once.
    public func setFilter(_ filter: NamedUserFilter) { handle(.filtered(filter)) }

    /// Whether the inbox is switched on.
    public var isEnabled: Bool { kept.core.isEnabled }

    /// Switches the inbox on or off.
    ///
    /// Off, it shows and asks nothing, and what was kept of messages is gone; who is logged in, and what the server is yet
    /// to be told, stay. The configuration says how it is when it is opened.
    public func setEnabled(_ isEnabled: Bool) { handle(.enabled(isEnabled)) }
}
