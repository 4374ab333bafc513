import InboxModel

/// A way to prove who calls.
enum SecurityScheme: String, CaseIterable {
    case device
    case session
    case app
    case appToken
    case master
    case token

    var isBasic: Bool {
        switch self {
        case .device, .app, .master: true
        case .session, .appToken, .token: false
        }
    }

    var meaning: String {
        switch self {
        case .device: "A device: its `user_id` and the password it registered with."
        case .session: "A session that the backend opened for a person."
        case .app: "The app's own code: app key and app secret."
        case .appToken:
            "The app's own code: a token made with the app secret or for it, and the app key in `X-UA-Appkey`."
        case .master: "The app's backend: app key and master secret; may do everything."
        case .token: "The app's backend: a token that has the scope."
        }
    }
}

extension Access {
    /// The ways that are accepted, each with the scopes it needs.
    var schemes: [(scheme: SecurityScheme, scopes: [String])] {
        switch self {
        case .open: []
        case .reader: [(.device, []), (.session, [])]
        case .device: [(.device, [])]
        case .app: [(.app, []), (.appToken, [])]
        case .backend(let scope, _): [(.master, []), (.token, [scope.rawValue])]
        }
    }
}
