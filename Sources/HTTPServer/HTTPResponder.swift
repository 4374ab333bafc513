package import HTTPCore

/// Answers the requests of a server.
package protocol HTTPResponder: AnyObject {
    /// Answers a request by calling `finish` exactly once, on the loop, at once or later.
    ///
    /// Called on the loop's thread. After `HTTPLimits.requestWithin` the client has been answered 503, and when it has
    /// left there is nobody to answer: `finish` does nothing then.
    func respond(to request: Request, _ finish: @escaping @Sendable (Response) -> Void)
}
