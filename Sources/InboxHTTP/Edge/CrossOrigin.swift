import Crypto
import HTTPCore
import InboxModel
import InboxService

/// Calls from pages of other origins (CORS): an app lists those that may read its answers in a browser.
///
/// Credentials travel in `Authorization`, which a page sets itself; cookies mean nothing here. So what an answer may be
/// read by is decided by the app that the request names, proved or not: of a wrong credential, too, a page wants to know.
enum CrossOrigin {
    /// What pages may send and read, besides what browsers always let them.
    private static let requestHeaders =
        "Authorization, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, X-UA-Appkey"
    private static let answerHeaders = "ETag, Retry-After, WWW-Authenticate"
    /// How long a browser may go on without asking, and so how long an origin that was taken off the list is believed.
    private static let maximumAge = "600"

    /// The origin that a browser names; nothing of another form is on a list.
    static func origin(_ request: Request) -> Origin? {
        request.headers["origin"].flatMap { $0.utf8.count <= Origin.maximumBytes ? Origin(stored: $0) : nil }
    }

    /// Whether a browser asks what it may send.
    static func isPreflight(_ request: Request) -> Bool {
        request.method == .options && request.headers["origin"] != nil
            && request.headers["access-control-request-method"] != nil
    }

    /// Lets pages of `origin`, if it is allowed, send these methods.
    static func answerPreflight(_ origin: Origin?, _ methods: String, _ response: inout Response) {
        response.headers.add("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
        guard let origin else { return }
        response.headers.add("Access-Control-Allow-Origin", origin.text)
        response.headers.add("Access-Control-Allow-Methods", methods)
        response.headers.add("Access-Control-Allow-Headers", requestHeaders)
        response.headers.add("Access-Control-Max-Age", maximumAge)
    }

    /// Lets pages of `origin`, if it is allowed, read the answer.
    static func admit(_ origin: Origin?, to response: inout Response) {
        let vary = response.headers["vary"]
        response.headers.remove("vary")
        response.headers.add("Vary", vary.map { $0 + ", Origin" } ?? "Origin")
        guard let origin else { return }
        response.headers.add("Access-Control-Allow-Origin", origin.text)
        response.headers.add("Access-Control-Expose-Headers", answerHeaders)
    }
}

extension AppClaim {
    /// The app whose key, user, session or token the request carries; nothing if it carries none.
    init?(_ request: Request) {
        switch Authorization(request) {
        case .basic(let name, _):
            if let user = UserID(text: name) {
                self = .id(user.app)
            } else if let key = AppKey(text: String(decoding: name, as: UTF8.self)) {
                self = .key(key)
            } else {
                return nil
            }
        case .bearer(let token):
            if let user = UserID(text: Array(token.utf8.prefix(Base64URL.textBytes))[...]) {
                self = .id(user.app)
            } else if let key = request.headers["x-ua-appkey"].flatMap({ AppKey(text: $0) }) {
                self = .key(key)
            } else {
                self = .token(SHA256.digest(token))
            }
        case nil: return nil
        }
    }
}
