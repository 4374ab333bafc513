public import Foundation
import HTTPCore
import InboxModel
import Platform

/// Where an app's inbox is served, as which app, and where it is kept on the device.
public struct InboxConfiguration: Sendable {
    /// The server's address with its base path, such as `https://inbox.example.com/base`.
    public var server: URL
    /// The app's key, 22 characters.
    public var appKey: String
    /// The app's app secret, 22 characters; never the master secret, which belongs to the backend alone.
    public var appSecret: String
    /// A folder of the app's own, which other apps cannot read; the inbox makes it, and a file in it.
    public var folder: URL
    /// Which interface of the server is spoken.
    public var wireForm = WireForm.martlet
    /// `ios`, `android`, `amazon`, `web` or `open`.
    public var deviceType = "ios"
    /// Tags of the device, for audiences.
    public var tags: [String] = []
    /// Which messages are shown, beside what the server says.
    public var filter = NamedUserFilter.off
    /// Whether a message that expires while the device holds it stays, as `isExpired`, until it is deleted.
    ///
    /// It is not counted, and its body is gone. One that was deleted elsewhere and has expired since may be among them.
    public var showsExpired = false
    /// Whether the inbox is switched on when it is opened; see `Inbox.setEnabled`.
    public var isEnabled = true
    /// How much is kept, and how long requests may take.
    public var limits = InboxLimits()

    /// A configuration with the usual behaviour.
    public init(server: URL, appKey: String, appSecret: String, folder: URL) {
        self.server = server
        self.appKey = appKey
        self.appSecret = appSecret
        self.folder = folder
    }

    /// Interfaces of servers.
    public enum WireForm: Hashable, Sendable {
        /// `/v1`: changes since a cursor, marking as unread, event streams.
        case martlet
        /// The interface that published libraries speak: whole lists, no streams, no marking as unread.
        case device
    }

    /// All that is wrong with it, for developers; nothing if it can be used.
    public var problems: [String] {
        var problems: [String] = []
        if BaseURL(server.absoluteString) == nil {
            // A user may have a password.
            let address = server.user == nil ? ", not \(server.absoluteString)" : ""
            problems.append("server must be http or https, without user, query or fragment\(address)")
        }
        if !isKey(appKey) { problems.append("appKey must be 22 characters of A-Za-z0-9_-") }
        if !isKey(appSecret) { problems.append("appSecret must be 22 characters of A-Za-z0-9_-") }
        if !folder.isFileURL { problems.append("folder must be the URL of a folder") }
        if DeviceType(text: deviceType) == nil {
            let types = DeviceType.allCases.map(\.text).joined(separator: ", ")
            problems.append("deviceType must be one of \(types)")
        }
        let most = Limits()
        let isLong = tags.contains { $0.isEmpty || $0.unicodeScalars.count > most.tagScalars }
        if isLong { problems.append("a tag must have 1 to \(most.tagScalars) characters") }
        if tags.count > most.tagsPerChannel {
            problems.append("there may be \(most.tagsPerChannel) tags at most")
        }
        return problems + limits.problems
    }

    private func isKey(_ text: String) -> Bool {
        text.utf8.count == Base64URL.textBytes && text.utf8.allSatisfy(Base64URL.isDigit)
    }

    /// The server's address.
    ///
    /// - Throws: `InboxClientError.badConfiguration` with all problems.
    func base() throws(InboxClientError) -> BaseURL {
        let problems = problems
        guard problems.isEmpty, let base = BaseURL(server.absoluteString) else {
            throw .badConfiguration(problems)
        }
        return base
    }
}

/// What an inbox keeps and waits for at most.
public struct InboxLimits: Hashable, Sendable {
    /// Messages that are kept of a view, the newest: 1 to 10,000.
    public var messages = 1_000
    /// How long a request may take, 1 second or more.
    public var requestTime = Duration.seconds(30)
    /// How long the request for a body may take, 1 second or more.
    public var bodyTime = Duration.seconds(60)

    /// The usual limits.
    public init() {}

    fileprivate var problems: [String] {
        var problems: [String] = []
        // The largest inbox that a server holds.
        if !(1...10_000).contains(messages) { problems.append("limits.messages must be 1 to 10,000") }
        if requestTime < .seconds(1) { problems.append("limits.requestTime must be a second or more") }
        if bodyTime < .seconds(1) { problems.append("limits.bodyTime must be a second or more") }
        return problems
    }
}
