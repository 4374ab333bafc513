/// Paths and methods to routes: patterns like `/api/user/{user}/messages`.
///
/// A slash at the end makes no difference, and nothing redirects. Literal segments win over parameters. `HEAD` takes
/// the route of `GET`.
package struct Router<Route: Sendable>: Sendable {
    private var nodes = [Node()]

    private struct Node: Sendable {
        var literals: [(text: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [(method: Method, route: Route)] = []
    }

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
        precondition(pattern.hasPrefix("/"), "pattern \(pattern) starts with a slash")
        var node = 0
        for segment in pattern.utf8.split(separator: UInt8(ascii: "/")) {
            let isParameter = segment.first == UInt8(ascii: "{") && segment.last == UInt8(ascii: "}")
            node = isParameter ? parameter(of: node) : literal(Array(segment), of: node)
        }
        precondition(
            !nodes[node].routes.contains { $0.method == method },
            "\(method.rawValue) \(pattern) is routed twice")
        nodes[node].routes.append((method, route))
    }

    /// The route of a request by its raw path, without the query.
    package func match(_ method: Method, path: String) -> Match {
        guard let segments = PathSegments(path) else { return .badPath }
        var parameters: [String] = []
        guard let node = descend(from: 0, segments, at: 0, &parameters) else { return .notFound }
        let routes = nodes[node].routes
        let found =
            routes.first { $0.method == method }
            ?? (method == .head ? routes.first { $0.method == .get } : nil)
        if let found { return .route(found.route, parameters: parameters) }
        return .methodNotAllowed(allow: allowed(at: node))
    }

    /// The first node with routes that fits from this segment on, literals first.
    private func descend(
        from node: Int, _ segments: PathSegments, at index: Int, _ parameters: inout [String]
    ) -> Int? {
        if index == segments.count { return nodes[node].routes.isEmpty ? nil : node }
        for literal in nodes[node].literals where segments.equals(index, literal.text) {
            if let found = descend(from: literal.node, segments, at: index + 1, &parameters) { return found }
        }
        guard let next = nodes[node].parameter, !segments.isEmpty(index) else { return nil }
        parameters.append(segments.text(index))
        if let found = descend(from: next, segments, at: index + 1, &parameters) { return found }
        parameters.removeLast()
        return nil
    }

    private func allowed(at node: Int) -> [Method] {
        let methods = nodes[node].routes.map(\.method)
        return Method.allCases.filter { method in
            methods.contains(method) || method == .options || (method == .head && methods.contains(.get))
        }
    }

    private mutating func literal(_ text: [UInt8], of node: Int) -> Int {
        if let known = nodes[node].literals.first(where: { $0.text == text }) { return known.node }
        nodes[node].literals.append((text, nodes.count))
        nodes.append(Node())
        return nodes.count - 1
    }

    private mutating func parameter(of node: Int) -> Int {
        if let known = nodes[node].parameter { return known }
        nodes[node].parameter = nodes.count
        nodes.append(Node())
        return nodes.count - 1
    }
}
