import ClientCore
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import Platform
import Testing

/// An inbox with a server, a store and clocks that a test holds in its hands.
struct InboxStage {
    let server: ScriptedServer
    let streams = ScriptedStreams()
    let clock = ManualClock()
    var store: any LocalStore = FaultyLocalStore()
    var isEnabled = true

    init(_ rows: [MessageRow] = []) { server = ScriptedServer(rows) }

    /// Another inbox of the same device: of an extension of the app, say.
    init(beside other: InboxStage, store: any LocalStore) {
        server = other.server
        self.store = store
    }

    /// Opens the inbox as an app does at its start.
    func open(_ options: SyncOptions = SyncOptions()) async throws -> Inbox {
        let base = BaseURL(host: "inbox.example", port: 80, pathPrefix: "/base")
        var parts = InboxParts(server, at: base, store: store, seed: 1)
        parts.clock = clock
        parts.streams = streams
        parts.isEnabled = isEnabled
        parts.makeInstallation = { Shell.installation }
        return try await Inbox(parts, options: options)
    }

    /// Opens the inbox, which has then fetched what the server holds.
    func openAndRefresh(_ options: SyncOptions = SyncOptions()) async throws -> Inbox {
        let inbox = try await open(options)
        #expect(await inbox.refresh())
        return inbox
    }
}

extension Inbox {
    var titles: [String] { messages.map(\.title) }
}

func text(_ number: Int) -> String { MessageID.made(number).text }
