import HTTPCore
import InboxService
import InboxWire

extension Shard {
    /// What operators and their load balancers ask.
    static func operationRoutes(into router: inout Router<Route>) {
        let text: Headers = ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"]
        let alive = Response(status: 200, headers: text, body: Array("ok\n".utf8))
        router.add(.get, "/livez", Route(.operations, fixed: alive))
        router.add(
            .get, "/readyz",
            Route(.operations) { shard, _ in
                // Throws the store's fault, which is answered 503.
                try await shard.store.ping()
                return alive
            })
        router.add(
            .get, "/version",
            Route(.operations) { shard, _ in
                .json { body in body.member("version", shard.configuration.version) }
            })
    }
}
