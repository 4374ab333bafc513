package import ClientCore
import Foundation
package import HTTPCore
package import Platform

/// How calls of a sync core travel: one for each interface of servers.
package protocol Wire: Sendable {
    /// Asks the server, and says what became of it and what time the server has, if it told.
    func perform(_ call: SyncCall, as installation: Installation) async -> WireAnswer

    /// The request that opens an installation's event stream; nothing where there are none.
    func stream(of credential: InboxCredential) -> Request?

    /// The request for the body of a message.
    func body(of message: MessageContent, for credential: InboxCredential) -> Request
}

/// What a wire brings back.
package struct WireAnswer: Sendable {
    package let outcome: SyncOutcome
    package let serverTime: Instant?

    package init(_ outcome: SyncOutcome, serverTime: Instant? = nil) {
        self.outcome = outcome
        self.serverTime = serverTime
    }
}

/// Where requests of an installation go, and as which app.
package struct WireEnd: Sendable {
    package let app: AppCredential
    package let base: BaseURL
    package let transport: any Transport
    /// What the channel is registered as.
    package var profile = ChannelProfile()

    package init(_ app: AppCredential, at base: BaseURL, over transport: any Transport) {
        self.app = app
        self.base = base
        self.transport = transport
    }

    /// Sends a request; what comes of it is an answer or a problem.
    func send(_ request: Request) async -> Result<Response, SyncProblem> {
        do {
            return .success(try await transport.send(request, to: base))
        } catch {
            return .failure(SyncProblem(.unreachable, "no answer from \(base): \(WireEnd.words(error))"))
        }
    }

    /// An error in few words: what Foundation prints of its own fills a page.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? URLError else { return "\(error)" }
        return switch error.code {
        case .timedOut: "it takes too long"
        case .cannotConnectToHost, .cannotFindHost, .notConnectedToInternet: "it cannot be reached"
        case .networkConnectionLost: "the connection was lost"
        default: "URL error \(error.errorCode)"
        }
    }
}

/// What a server is told of a channel at its registration.
package struct ChannelProfile: Hashable, Sendable {
    /// `ios`, `android`, `web` or another type that the server knows.
    package var deviceType = "ios"
    package var tags: [String] = []

    package init() {}
}
