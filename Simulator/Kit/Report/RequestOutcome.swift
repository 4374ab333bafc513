/// How a request ended.
package enum RequestOutcome: Sendable, Equatable {
    /// It was answered with a status.
    case status(Int)
    /// No answer came, for a reason in few words, such as `connection refused`.
    case failure(String)
}
