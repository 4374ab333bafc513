import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// Answers every request alike, and keeps it.
final class OneAnswer: Transport {
    static let base = BaseURL(host: "inbox.example", port: 80, pathPrefix: "")
    static let app = AppCredential(key: "kkkkkkkkkkkkkkkkkkkkkk", secret: "ssssssssssssssssssssss")

    static var installation: Installation {
        var installation = Shell.installation
        installation.credential = InboxCredential(user: "user", password: "hunter2-hunter2-hunter2")
        return installation
    }

    let response: Response
    let asked = Lock<[Request]>([])

    init(_ response: Response) { self.response = response }

    func send(_ request: Request, to base: BaseURL) async throws -> Response {
        asked.withLock { $0.append(request) }
        return response
    }

    /// What comes of a call over one interface or the other.
    func outcome(of call: SyncCall, device: Bool) async -> SyncOutcome {
        let end = WireEnd(OneAnswer.app, at: OneAnswer.base, over: self)
        let wire: any Wire = device ? DeviceWire(end) : MartletWire(end)
        return await wire.perform(call, as: OneAnswer.installation).outcome
    }
}
