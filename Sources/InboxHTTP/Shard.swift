package import EventLoop
package import HTTPCore
import InboxModel
package import InboxService
import InboxWire

/// All that one loop owns: its store, its caches and its requests.
package actor Shard {
    package nonisolated let loop: EventLoop
    package nonisolated let configuration: ShardConfiguration
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let store: any InboxStore
    var bases: PublicBases
    /// Of the device API's lists.
    var fragments: FragmentCache
    /// Of the lists of `/v1`.
    var listedFragments: FragmentCache
    /// By device inbox.
    var views: RecentCache<InboxID, RenderedView>
    /// The same of `/v1`.
    var inboxes: RecentCache<InboxID, RenderedInbox>
    nonisolated let cursors: CursorSeal
    var logs: RecentCache<LogKey, AppLog>
    var bodies: RecentCache<BodyKey, MessageBody>
    var desk = StreamDesk()
    var fetches = FetchLog()
    /// What describes Martlet's own API.
    let apiDocument: Response
    private let router: Router<Route>

    /// A shard on `loop`, which alone may use `store` from now on.
    package init(loop: EventLoop, store: sending any InboxStore, configuration: ShardConfiguration) {
        self.loop = loop
        self.store = store
        self.configuration = configuration
        bases = PublicBases(configuration)
        let caches = configuration.caches
        fragments = FragmentCache(limitBytes: caches.fragmentBytes)
        listedFragments = FragmentCache(limitBytes: caches.fragmentBytes)
        views = RecentCache(limit: caches.viewBytes)
        inboxes = RecentCache(limit: caches.viewBytes)
        cursors = CursorSeal(under: configuration.key)
        logs = RecentCache(limit: caches.apps)
        bodies = RecentCache(limit: caches.bodyBytes)
        let operations = Shard.operations(configuration.limits)
        apiDocument = .constant(OpenAPIDocument(operations, configuration).bytes)
        router = Shard.router(operations)
    }

    /// All that is served, with `operations` as Martlet's own API.
    package static func router(_ operations: [Operation]) -> Router<Route> {
        var router = Router<Route>()
        operationRoutes(into: &router)
        deviceRoutes(into: &router)
        serverRoutes(into: &router)
        martletRoutes(operations, into: &router)
        return router
    }

    /// Answers one request by calling `finish` once, at once or later, on the loop; to be called on the loop.
    package nonisolated func answer(_ request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
        assumeIsolated { shard in shard.dispatch(request, finish) }
    }

    private func dispatch(_ request: Request, _ finish: @escaping @Sendable (Response) -> Void) {
        let path = bases.localPath(request.path)
        switch router.match(request.method, path: path) {
        case .route(let route, let parameters): start(route, parameters, request, finish)
        case .notFound: finish(refusal(.unknownPath, on: surface(of: path)))
        case .badPath:
            let reason = "the path has an incomplete or forbidden escape, or is not UTF-8"
            finish(refusal(.badRequest(reason), on: surface(of: path)))
        case .methodNotAllowed(let allow):
            refuseMethod(request, allow.map(\.rawValue), surface(of: path), finish)
        }
    }

    /// The path is served, but not so; what a browser or a person asks by `OPTIONS` is answered.
    private func refuseMethod(
        _ request: Request, _ allow: [String], _ surface: Surface,
        _ finish: @escaping @Sendable (Response) -> Void
    ) {
        var response =
            request.method == .options
            ? Response(status: 204) : refusal(.methodNotAllowed(allow: allow), on: surface)
        response.headers.add("Allow", allow.joined(separator: ", "))
        guard surface == .martlet, CrossOrigin.isPreflight(request) else { return finish(response) }
        let answer = response
        Task(executorPreference: loop) { finish(await self.answerPreflight(request, answer, allow)) }
    }

    private func answerPreflight(_ request: Request, _ answer: Response, _ allow: [String]) async -> Response
    {
        do {
            var response = answer
            let origin = try await allowed(CrossOrigin.origin(request), by: nil)
            CrossOrigin.answerPreflight(origin, allow.joined(separator: ", "), &response)
            return response
        } catch {
            return failure(error, on: .martlet)
        }
    }

    /// The origin, if an app allows it: the one that is claimed, or any.
    private func allowed(_ origin: Origin?, by claim: AppClaim?) async throws -> Origin? {
        guard let origin, try await store.allows(origin, by: claim) else { return nil }
        return origin
    }

    private func start(
        _ route: Route, _ parameters: [String], _ request: Request,
        _ finish: @escaping @Sendable (Response) -> Void
    ) {
        switch route.work {
        case .fixed(let response): finish(response)
        case .handler(let handler):
            guard let place = bases.base(of: request, isNeeded: route.surface != .operations) else {
                let reason = "this server does not know itself under the name in Host"
                return finish(refusal(.badRequest(reason), on: route.surface))
            }
            let call = Call(request, parameters: parameters, place: place)
            // The one unstructured task of a request. Without the preference each resumption visits the default pool.
            Task(executorPreference: loop) { finish(await self.respond(to: call, route.surface, handler)) }
        }
    }

    private func respond(to call: Call, _ surface: Surface, _ handler: Route.Handler) async -> Response {
        guard surface == .martlet else { return await answer(to: call, surface, handler) }
        do {
            // Before the handler: what fails here must not have done anything.
            let claim = AppClaim(call.request)
            let origin = claim == nil ? nil : try await allowed(CrossOrigin.origin(call.request), by: claim)
            var response = await answer(to: call, surface, handler)
            CrossOrigin.admit(origin, to: &response)
            return response
        } catch {
            return failure(error, on: surface)
        }
    }

    private func answer(to call: Call, _ surface: Surface, _ handler: Route.Handler) async -> Response {
        do {
            guard let rates = configuration.rates, surface != .operations else {
                return try await handler(self, call)
            }
            return try await respond(to: call, handler, by: rates)
        } catch {
            return failure(error, on: surface).challenging(call.request, on: surface)
        }
    }

    /// The same, for an address from which not too many logins have failed.
    private func respond(
        to call: Call, _ handler: Route.Handler, by rates: RequestRates
    ) async throws -> Response {
        let client = bases.client(of: call.request)
        try rates.admit(client)
        do {
            return try await handler(self, call)
        } catch InboxError.unauthorized {
            // Who shows nothing has guessed nothing.
            if call.request.headers["authorization"] != nil { rates.countFailure(from: client) }
            throw InboxError.unauthorized
        }
    }

    /// Which form an error has on a path that no route serves.
    private func surface(of path: String) -> Surface { path.hasPrefix("/v1") ? .martlet : .device }
}
