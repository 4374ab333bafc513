/// Why a loop or one of its parts could not be made; the process is out of memory or descriptors.
package enum EventLoopError: Error, Equatable, CustomStringConvertible {
    /// The libevent function that failed.
    case libevent(String)
    /// The call of the operating system that failed, and its `errno`.
    case system(String, Int32)

    package var description: String {
        switch self {
        case .libevent(let function): "\(function) failed"
        case .system(let call, let code): "\(call) failed with errno \(code)"
        }
    }
}
