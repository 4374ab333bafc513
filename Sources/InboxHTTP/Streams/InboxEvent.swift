/// What a stream of events says, as bytes of `text/event-stream`.
enum InboxEvent {
    /// Why the server ends a stream.
    enum End: String, Sendable, CaseIterable {
        /// The credential is void.
        case credentials
        /// Nobody is logged in any more.
        case loggedOut = "logged_out"
        /// Somebody else is logged in.
        case personChanged = "person_changed"
        /// The person was erased.
        case erased
        /// The client takes less than there is to say.
        case slow
        /// The server stops.
        case draining
    }

    /// A line that clients ignore: it keeps proxies from taking the connection for dead.
    static let heartbeat = Array(":\n\n".utf8)

    /// The first of a stream: from here on changes are told.
    static func ready(_ id: String) -> [UInt8] {
        Array("retry: \(retryMilliseconds)\nid: \(id)\nevent: ready\ndata: {}\n\n".utf8)
    }

    /// The view may be another; after a broadcast clients spread their refresh over `seconds`.
    static func changed(_ id: String, within seconds: Int? = nil) -> [UInt8] {
        let data = seconds.map { #"{"within":\#($0)}"# } ?? "{}"
        return Array("id: \(id)\nevent: changed\ndata: \(data)\n\n".utf8)
    }

    /// The last of a stream.
    static func end(_ end: End, retry: Bool) -> [UInt8] {
        Array("event: end\ndata: {\"reason\":\"\(end.rawValue)\",\"retry\":\(retry)}\n\n".utf8)
    }

    /// After how long a browser connects again by itself.
    private static let retryMilliseconds = 3000
}
