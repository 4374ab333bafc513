import HTTPCore

extension Shard {
    /// Martlet's own API under `/v1`.
    static func martletRoutes(into router: inout Router<Route>) {}
}
