import HTTPCore

extension Shard {
    /// What installed apps call: paths, bodies and statuses that published SDKs know.
    static func deviceRoutes(into router: inout Router<Route>) {
        inboxRoutes(into: &router)
        messageRoutes(into: &router)
        userRoutes(into: &router)
        channelRoutes(into: &router)
        contactRoutes(into: &router)
        remoteConfigRoutes(into: &router)
        absorbedRoutes(into: &router)
    }
}
