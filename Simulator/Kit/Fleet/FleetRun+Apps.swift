import HTTPCore
import InboxClient
import InboxWire

/// Why a run cannot begin.
package enum FleetError: Error, CustomStringConvertible {
    case unreachable(String)
    case wrongSecrets(app: String)
    case wrongAppSecret(app: String)
    case otherServer(String)

    package var description: String {
        switch self {
        case .unreachable(let text): "the server cannot be reached: \(text)"
        case .wrongSecrets(let app): "the server knows no app \(app) with this master secret"
        case .wrongAppSecret(let app):
            "the app secret is not that of app \(app), so that no device could register"
        case .otherServer(let text): "this is no Martlet, or one of another version: \(text)"
        }
    }
}

extension FleetRun {
    /// Sets an app as the run wants it, and learns how it is set.
    func prepare(_ app: Int) async throws(FleetError) {
        let calls = apps[app].calls
        let choice =
            options.settings.indices.contains(app) ? options.settings[app] : options.settings.last ?? nil
        let request =
            if let choice {
                calls.request(.patch, "/v1/app", as: calls.backend) { body in
                    body.member("delivery_mode", choice.delivery.rawValue)
                    body.member("filter_mode", choice.filter.rawValue)
                }
            } else {
                calls.request(.get, "/v1/app", as: calls.backend)
            }
        let response = try await reach(request)
        switch response.status {
        case 200: break
        case 429, 500...: throw .unreachable("\(ground.bases[0]) answers \(response.words)")
        case 401, 403: throw .wrongSecrets(app: apps[app].keys.key)
        default: throw .otherServer("\(request.method.rawValue) /v1/app answers \(response.words)")
        }
        do {
            try learn(response.json(), app)
        } catch {
            throw .otherServer(error.text)
        }
        try await checkSecret(of: app)
    }

    /// Asks for what is refused in any case, and learns from how whether devices could register.
    private func checkSecret(of app: Int) async throws(FleetError) {
        let calls = apps[app].calls
        let request = calls.request(.put, "/v1/channels/none", as: calls.app) { $0.member("password", "") }
        if try await reach(request).status == 401 { throw .wrongAppSecret(app: apps[app].keys.key) }
    }

    private func reach(_ request: Request) async throws(FleetError) -> Response {
        do {
            return try await ground.transport.send(request, to: ground.bases[0])
        } catch {
            throw .unreachable("\(ground.bases[0]): \(error)")
        }
    }

    private func learn(_ json: JSON, _ app: Int) throws(Unreadable) {
        let isForPeople = try json.string("delivery_mode") == "person"
        let (mode, untargeted) = (try json.string("filter_mode"), try json.bool("filter_untargeted"))
        var limits = LedgerLimits()
        limits.deliveriesPerInbox = try json.number("inbox_cap")
        limits.sendsUnderWay = senders
        apps[app].begin(isForPeople ? .person : .devices, limits)
        apps[app].isVerified = try json.string("identity_mode") != "trusted"
        if mode == "server" { apps[app].ledger.filter = .on(untargeted: untargeted) }
        guard mode != "off" else { return }
        apps[app].filter = .on(untargeted: untargeted)
        for device in apps[app].devices { devices[device].core.options.filter = .on(untargeted: untargeted) }
    }
}
