package import HTTPCore
import InboxWire
package import Platform
package import ReferenceInbox

/// A stage whose servers are reached by HTTP, and so is what sets their database's clock and makes apps in it.
///
/// `POST /clock` with `{"microseconds": 1000}` answers `{"now": …}`, in microseconds since 1970; `POST /apps` with an
/// app's settings answers its key and secrets.
package struct RemoteStage: HistoryStage {
    private let transport: any Transport
    private let servers: [BaseURL]
    private let backstage: BaseURL

    package init(_ transport: any Transport, servers: [BaseURL], backstage: BaseURL) {
        precondition(servers.count == 2, "histories have two servers")
        self.transport = transport
        self.servers = servers
        self.backstage = backstage
    }

    /// Something else than the answer that a stage gives.
    package struct Refused: Error, CustomStringConvertible {
        package let description: String
    }

    package func call(_ request: Request, on server: Int) async throws -> Response {
        try await transport.send(request, to: servers[server])
    }

    package func advanceClock(by duration: Duration) async throws -> Instant {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let answer = try await ask("/clock") { $0.member("microseconds", Int(microseconds)) }
        return Instant(rawValue: Int64(try answer.number("now")))
    }

    package func makeApp(_ settings: ReferenceInbox.Settings) async throws -> AppKeys {
        let answer = try await ask("/apps") { body in
            body.member("keeps_with_people", settings.keepsWithPeople)
            body.member("trusts_devices", settings.trustsDevices)
            body.member("filters", settings.filters)
            body.member("shows_untargeted", settings.showsUntargeted)
            body.member("cap", settings.cap)
        }
        return AppKeys(
            key: try answer.string("app_key"), appSecret: try answer.string("app_secret"),
            masterSecret: try answer.string("master_secret"))
    }

    private func ask(_ path: String, _ body: (inout JSONWriter) -> Void) async throws -> JSON {
        let bytes = JSONWriter.bytes { writer in writer.object(body) }
        let request = Request(.post, path, headers: ["Content-Type": "application/json"], body: bytes)
        let response = try await transport.send(request, to: backstage)
        do {
            return try response.json()
        } catch {
            throw Refused(description: "POST \(path) at \(backstage): \(error.text)")
        }
    }
}
