import HTTPCore

extension Shard {
    /// What a backend calls with the master secret.
    static func serverRoutes(into router: inout Router<Route>) {}
}
