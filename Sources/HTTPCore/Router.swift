/// Paths and methods to routes: patterns like `/api/user/{user}/messages`.
///
/// A slash at the end makes no difference, and nothing redirects. Literal segments win over parameters. `HEAD` takes
/// the route of `GET`.
package struct Router<Route: Sendable>: Sendable {
    private var table = RouteTable()
    private var routes: [Route] = []
    /// What was added, in order.
    package private(set) var entries: [(method: Method, pattern: String)] = []

    /// What a path and a method lead to.
    package enum Match: Sendable {
        /// A route, and the decoded values of its parameters in order.
        case route(Route, parameters: [String])
        case notFound
        /// The path is known with these methods only; `OPTIONS` is among them, for whoever serves answers it.
        case methodNotAllowed(allow: [Method])
        /// A `%` that starts no escape, a `%00`, or bytes that are no UTF-8.
        case badPath
    }

    /// No routes.
    package init() {}

    /// Leads `method` on paths like `pattern` to `route`.
    ///
    /// A programming error: the same pair twice, or a pattern
    /// without a slash at its start.
    package mutating func add(_ method: Method, _ pattern: String, _ route: Route) {
        table.add(method, pattern, routes.count)
        routes.append(route)
        entries.append((method, pattern))
    }

    /// The route of a request by its raw path, without the query.
    package func match(_ method: Method, path: String) -> Match {
        switch table.match(method, path) {
        case .route(let number, let parameters): .route(routes[number], parameters: parameters)
        case .notFound: .notFound
        case .methodNotAllowed(let allowed): .methodNotAllowed(allow: allowed)
        case .badPath: .badPath
        }
    }
}
