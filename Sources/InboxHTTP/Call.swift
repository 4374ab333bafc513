package import HTTPCore

/// A request that found its route.
package struct Call: Sendable {
    package var request: Request
    /// Decoded values of the pattern's parameters, in order.
    package var parameters: [String]
    /// Under which URL the caller reached this server; part of what is rendered.
    package var place: PublicBase

    package init(_ request: Request, parameters: [String] = [], place: PublicBase) {
        self.request = request
        self.parameters = parameters
        self.place = place
    }

    /// Absolute URL before every path, without a slash at its end.
    package var base: String { place.text }
}

/// Which API a path belongs to: decides the form of its errors.
package enum Surface: Sendable {
    case device
    case server
    case martlet
    case operations
}

/// What answers a path and method.
package struct Route: Sendable {
    /// A handler on the shard; what it throws becomes an error answer.
    package typealias Handler = @Sendable (isolated Shard, Call) async throws -> Response

    package let surface: Surface
    let work: Work

    enum Work {
        case handler(Handler)
        /// The same for everyone and always: costs no task.
        case fixed(Response)
    }

    package init(_ surface: Surface, _ handler: @escaping Handler) {
        self.surface = surface
        work = .handler(handler)
    }

    package init(_ surface: Surface, fixed response: Response) {
        self.surface = surface
        work = .fixed(response)
    }
}
