/// The tree behind a router, with numbers for routes.
///
/// Not generic, since generic code is not specialized for another target and would cost each request more than all of
/// its matching.
struct RouteTable: Sendable {
    enum Match {
        case route(Int, parameters: [String])
        case notFound
        case methodNotAllowed(allow: [Method])
        case badPath
    }

    private struct Node: Sendable {
        var literals: [(text: [UInt8], node: Int)] = []
        var parameter: Int?
        var routes: [(method: Method, number: Int)] = []
    }

    private var nodes = [Node()]

    mutating func add(_ method: Method, _ pattern: String, _ number: Int) {
        precondition(pattern.hasPrefix("/"), "pattern \(pattern) starts with a slash")
        var node = 0
        for segment in pattern.utf8.split(separator: UInt8(ascii: "/")) {
            let isParameter = segment.first == UInt8(ascii: "{") && segment.last == UInt8(ascii: "}")
            node = isParameter ? parameter(of: node) : literal(Array(segment), of: node)
        }
        precondition(
            !nodes[node].routes.contains { $0.method == method },
            "\(method.rawValue) \(pattern) is routed twice")
        nodes[node].routes.append((method, number))
    }

    func match(_ method: Method, _ path: String) -> Match {
        guard let segments = PathSegments(path) else { return .badPath }
        var parameters: [String] = []
        guard let node = descend(from: 0, segments, at: 0, &parameters) else { return .notFound }
        let number = number(of: method, at: node) ?? (method == .head ? self.number(of: .get, at: node) : nil)
        if let number { return .route(number, parameters: parameters) }
        return .methodNotAllowed(allow: allowed(at: node))
    }

    /// The first node with routes that fits from this segment on, literals first.
    private func descend(
        from node: Int, _ segments: PathSegments, at index: Int, _ parameters: inout [String]
    ) -> Int? {
        if index == segments.count { return nodes[node].routes.isEmpty ? nil : node }
        for literal in nodes[node].literals.indices {
            guard segments.equals(index, nodes[node].literals[literal].text) else { continue }
            let next = nodes[node].literals[literal].node
            if let found = descend(from: next, segments, at: index + 1, &parameters) { return found }
        }
        guard let next = nodes[node].parameter, !segments.isEmpty(index) else { return nil }
        parameters.append(segments.text(index))
        if let found = descend(from: next, segments, at: index + 1, &parameters) { return found }
        parameters.removeLast()
        return nil
    }

    private func number(of method: Method, at node: Int) -> Int? {
        nodes[node].routes.first { $0.method == method }?.number
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
