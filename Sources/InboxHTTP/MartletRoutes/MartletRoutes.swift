import HTTPCore

extension Shard {
    /// Martlet's own API under `/v1`.
    static func martletRoutes(into router: inout Router<Route>) {
        let routes: [(Method, String, BackendHandler)] = [
            (.post, "/v1/messages", sendMessage),
            (.get, "/v1/messages", listMessages),
            (.get, "/v1/messages/{message}", showMessage),
            (.delete, "/v1/messages/{message}", recallMessage),
        ]
        for (method, pattern, handler) in routes {
            router.add(
                method, pattern,
                Route(.martlet) { shard, call in
                    try await handler(shard, call, try await shard.masterApp(call))
                })
        }
    }
}
