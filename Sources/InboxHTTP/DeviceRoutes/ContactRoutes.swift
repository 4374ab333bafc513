import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// Who is logged in on a device: current SDKs' contacts, the older ones', and the oldest ones' named users.
    static func contactRoutes(into router: inout Router<Route>) {
        router.add(
            .post, "/api/contacts/identify/v2",
            Route(.device) { shard, call in try await shard.identify(call) })
        for action in [ContactAction.Kind.resolve, .identify, .reset] {
            router.add(
                .post, "/api/contacts/\(action.rawValue)",
                Route(.device) { shard, call in try await shard.identifyOldWay(call, action) })
        }
        router.add(
            .post, "/api/named_users/associate",
            Route(.device) { shard, call in try await shard.associate(call) })
        router.add(
            .post, "/api/named_users/disassociate",
            Route(.device) { shard, call in try await shard.disassociate(call) })
    }

    /// The current call; the channel is in the headers.
    private func identify(_ call: Call) async throws -> Response {
        let caller = try await deviceCaller(call)
        let channel = try caller.channel ?? headerChannel(call)
        let root = try JSONField(body: call.request.body)
        let action = try ContactAction(try root.required("action"), limits: configuration.limits)
        let association = try await carryOut(action, for: channel, of: caller.app)
        guard let token = tokens(caller.app).token(forContact: association.contact) else {
            throw InboxError.unauthorized
        }
        return .json { body in
            body.member("ok", true)
            body.object("contact") { contact in
                contact.member("contact_id", association.contact)
                contact.member("is_anonymous", association.namedUser == nil)
                contact.member("channel_association_timestamp", association.since.secondsText + "Z")
            }
            body.member("token", token)
            body.member("token_expires_in", Int(DeviceTokens.lifeMilliseconds))
        }
    }

    /// The call of SDKs before; the channel is in the body, the action in the path.
    private func identifyOldWay(_ call: Call, _ kind: ContactAction.Kind) async throws -> Response {
        let caller = try await deviceCaller(call)
        let root = try JSONField(body: call.request.body)
        let field = try root.required("channel_id")
        guard let channel = ChannelID(text: try field.string()) else {
            throw field.invalid("must be a channel's UUID")
        }
        try check(caller, isFor: channel)
        let action = try ContactAction(kind, root, limits: configuration.limits)
        let association = try await carryOut(action, for: channel, of: caller.app)
        return .json { body in
            body.member("ok", true)
            body.member("contact_id", association.contact)
            body.member("is_anonymous", association.namedUser == nil)
        }
    }

    private func carryOut(
        _ action: ContactAction, for channel: ChannelID, of app: AppCredentials
    ) async throws -> Association {
        let association: Association?
        switch action {
        case .resolve:
            association = try await store.association(of: channel, in: app.app)
        case .identify(let person, let claim):
            association = try await LogIn(channel, as: person, by: claim).carryOut(
                in: store, of: app, by: logInRules)
        case .reset:
            association = try await store.logOut(channel, .always, in: app.app)
        }
        guard let association else { throw InboxError.notFound(what: "channel") }
        return association
    }

    /// Logs a channel in: by the backend always, by the device only where its word is trusted.
    ///
    /// Nobody's name, empty or null, logs it out: apps clear the named user so.
    private func associate(_ call: Call) async throws -> Response {
        let caller = try await associationCaller(call)
        let person = try JSONField(body: call.request.body).member("named_user_id")?.value
        if person == .null || person == .string("") { return try await disassociate(call, caller) }
        switch caller {
        case .backend(let backend): return try await Shard.associateNamedUser(self, call, backend)
        case .device(let device):
            let request = try AssociationRequest(call.request.body, limits: configuration.limits)
            try check(device, isFor: request.channel)
            let logIn = LogIn(request.channel, as: request.namedUser, by: request.claim)
            _ = try await logIn.carryOut(in: store, of: device.app, by: logInRules)
            return .ok
        }
    }

    private func disassociate(_ call: Call) async throws -> Response {
        try await disassociate(call, try await associationCaller(call))
    }

    private func disassociate(_ call: Call, _ caller: AssociationCaller) async throws -> Response {
        switch caller {
        case .backend(let backend): return try await Shard.disassociateNamedUser(self, call, backend)
        case .device(let device):
            let request = try DisassociationRequest(call.request.body)
            try check(device, isFor: request.channel)
            let condition = request.namedUser.map(LogOut.onlyAs) ?? .always
            guard try await store.logOut(request.channel, condition, in: device.app.app) != nil else {
                throw InboxError.notFound(what: "channel")
            }
            return .ok
        }
    }

    /// A proof for one channel serves that one alone.
    private func check(_ caller: DeviceCaller, isFor channel: ChannelID) throws {
        guard caller.channel == nil || caller.channel == channel else { throw InboxError.unauthorized }
    }

    /// Who asks for a change of association.
    private enum AssociationCaller {
        case backend(BackendCaller)
        case device(DeviceCaller)
    }

    /// The same paths serve backends and devices, each by what they have; one look-up tells.
    private func associationCaller(_ call: Call) async throws -> AssociationCaller {
        let caller = try await provenAssociationCaller(call)
        if case .backend = caller { try AcceptedVersion.check(call.request) }
        return caller
    }

    private func provenAssociationCaller(_ call: Call) async throws -> AssociationCaller {
        switch Authorization(call.request) {
        case .basic(let name, let digest):
            let app = try await app(named: name)
            if app.isProven(by: digest, kind: .master) {
                return .backend(try counted(BackendCaller(master: app)))
            }
            guard app.isProven(by: digest, kind: .app) else { throw InboxError.unauthorized }
            return .device(DeviceCaller(app: app, channel: nil))
        case .bearer(let token) where BackendCaller.canBeToken(token):
            return .backend(try await backend(call, .send, token))
        case .bearer, nil: return .device(try await deviceCaller(call))
        }
    }
}

/// What an SDK asks about the contact of its channel.
private enum ContactAction {
    case resolve
    case identify(NamedUserID, by: IdentityClaim)
    case reset

    enum Kind: String {
        case resolve
        case identify
        case reset
    }

    /// Reads the `action` of a body.
    init(_ field: JSONField, limits: Limits) throws(InboxError) {
        let type = try field.required("type")
        guard let kind = Kind(rawValue: try type.string()) else {
            throw type.invalid("must be resolve, identify or reset")
        }
        try self.init(kind, field, limits: limits)
    }

    /// Reads what an action of a known kind needs.
    init(_ kind: Kind, _ field: JSONField, limits: Limits) throws(InboxError) {
        switch kind {
        case .resolve: self = .resolve
        case .reset: self = .reset
        case .identify:
            let person = try field.required("named_user_id")
            self = .identify(
                try NamedUserID(try person.string(), field: person.path),
                by: try IdentityClaim(beside: field, limits: limits))
        }
    }
}
