import Foundation
package import HTTPCore
import InboxModel
import InboxWire
package import Platform
package import ReferenceInbox

/// A server in memory that keeps the rules by the reference model, or breaks one on purpose.
///
/// It speaks what clients of an inbox and their backends need of the server's interfaces, and is as slow as the model.
package struct ModelServer: Sendable {
    /// The database's time.
    package var now: Instant
    let lapse: Lapse?
    /// By the numbers that users' ids begin with.
    var apps: [AppID: ModelApp] = [:]
    /// Ids are drawn from it.
    var random: SeededRandom

    /// A rule that the server breaks.
    package enum Lapse: String, Sendable, CaseIterable {
        /// Validators and cursors that do not notice marks.
        case dropsRevision
        /// Of one millisecond, in any order.
        case ordersByTimeOnly
        case countsExpired
        /// Lists of the moment before, with the validators of now.
        case validatesOtherRows
        /// The newest ones are picked when a list is made.
        case capReturns
        case servesHiddenBodies
        case sendsAgain
        case forgetsRemovals
        case keepsPersonAtLogout
        case showsToAllTypes
        case skipsBetweenPages
        case ignoresSessionEnd
    }

    /// A server without apps.
    package init(now: Instant, lapse: Lapse? = nil, seed: UInt64 = 1) {
        self.now = now
        self.lapse = lapse
        random = SeededRandom(seed: seed)
    }

    /// Makes an app.
    package mutating func makeApp(_ settings: ReferenceInbox.Settings) -> AppKeys {
        let number = apps.count + 1
        func secret(_ kind: String) -> String {
            "\(kind)-\(number)".padding(toLength: 22, withPad: "-", startingAt: 0)
        }
        let keys = AppKeys(key: secret("key"), appSecret: secret("app"), masterSecret: secret("master"))
        var model = ReferenceInbox(settings, now: now)
        if lapse == .capReturns { model.settings.cap = .max }
        apps[AppID(rawValue: Int32(number))] = ModelApp(keys: keys, settings: settings, model: model)
        return keys
    }

    /// Answers a request at the time that is now.
    package mutating func answer(_ request: Request) -> Response {
        for app in apps.keys { apps[app]?.model.now = now }
        do {
            switch ModelServer.router.match(request.method, path: request.path) {
            case .route(let handler, let parameters):
                return try handler(&self, ModelCall(request: request, parameters: parameters))
            case .notFound, .badPath: throw Refusal(404)
            case .methodNotAllowed: throw Refusal(405)
            }
        } catch let refusal as Refusal {
            return Response(status: refusal.status)
        } catch {
            return Response(status: 400)
        }
    }

    /// An answer without a body.
    struct Refusal: Error {
        let status: Int

        init(_ status: Int) { self.status = status }
    }

    typealias Handler = @Sendable (inout ModelServer, ModelCall) throws -> Response

    private static let router: Router<Handler> = {
        var router = Router<Handler>()
        backendRoutes(into: &router)
        identityRoutes(into: &router)
        inboxRoutes(into: &router)
        return router
    }()

    // MARK: Who asks

    /// The app of a backend, by its master secret, or of its devices, by the other.
    func app(_ call: ModelCall, isBackend: Bool) throws -> AppID {
        let (name, secret) = try call.basic()
        for (id, app) in apps where app.keys.key == name {
            if secret == (isBackend ? app.keys.masterSecret : app.keys.appSecret) { return id }
        }
        throw Refusal(401)
    }

    /// The credential of a device or a session.
    func user(_ call: ModelCall) throws -> UserID {
        let text = call.request.headers["authorization"] ?? ""
        let isSession = text.hasPrefix("Bearer ")
        let (name, secret) = isSession ? (String(text.dropFirst(7).prefix(22)), text) : try call.basic()
        guard let user = UserID(text: Array(name.utf8)[...]), let app = apps[user.app],
            app.secrets[user] == secret, app.model.view(of: user) != nil
        else { throw Refusal(401) }
        return user
    }

    mutating func newUser(of app: AppID, secret: String?) -> UserID {
        let user = UserID(app: app, key: Int64.random(in: .min ... .max, using: &random))
        apps[app]?.secrets[user] = secret ?? "Bearer \(user.text)\(user.text)"
        return user
    }
}

/// An app of a model server, and what the model does not keep.
struct ModelApp: Sendable {
    let keys: AppKeys
    var settings: ReferenceInbox.Settings
    var model: ReferenceInbox
    var drafts: [MessageID: Draft] = [:]
    /// Passwords, or the whole header of a session.
    var secrets: [UserID: String] = [:]
    /// Each device's current channel.
    var channels: [UserID: ChannelID] = [:]
    /// How often messages were marked, for whoever marks to and fro.
    var marks: [MessageID: Int] = [:]
    /// First answers by idempotency key.
    var answers: [String: Response] = [:]
    /// Views that somebody got a cursor of.
    var cursors: [Snapshot] = []
    /// What pages of changes told each user of.
    var told: [UserID: Set<MessageID>] = [:]
    /// What the last list of the device interface showed, and its date.
    var dates: [UserID: (rows: [ReferenceInbox.Listed], seconds: Int64)] = [:]
    /// What was listed before, for a server that is behind.
    var behind: [UserID: [ReferenceInbox.Listed]] = [:]

    struct Snapshot: Sendable {
        var user: UserID
        var ownership: ReferenceInbox.Ownership?
        var settings: ReferenceInbox.Settings
        var rows: [ReferenceInbox.Listed]
        /// What pages had told of and is known to be gone.
        var gone: Set<MessageID>
        /// How often messages had been marked then.
        var marks: [MessageID: Int]
    }
}

/// A request and the parameters of its path.
struct ModelCall {
    let request: Request
    let parameters: [String]

    func basic() throws -> (name: String, password: String) {
        let text = request.headers["authorization"] ?? ""
        guard text.hasPrefix("Basic "), let data = Data(base64Encoded: String(text.dropFirst(6))),
            let parts = String(bytes: data, encoding: .utf8)?.split(separator: ":", maxSplits: 1),
            parts.count == 2
        else { throw ModelServer.Refusal(401) }
        return (String(parts[0]), String(parts[1]))
    }

    func json() throws -> JSON { try JSON.parse(request.body, duplicateNames: .refuse) }

    func query(_ name: String) -> String? { request.queryValues(name).first }
}

extension Response {
    static func json(_ status: Int = 200, _ content: (inout JSONWriter) -> Void) -> Response {
        let body = JSONWriter.bytes { writer in writer.object(content) }
        return Response(status: status, headers: ["Content-Type": "application/json"], body: body)
    }
}
