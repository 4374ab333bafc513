/// Why a command ended without doing what it was asked.
enum CommandFailure: Error, Equatable {
    /// The command line or the configuration cannot be understood: exit code 2, all problems at once.
    case usage([String])
    /// It was understood but cannot be done, with what the user can do about it: exit code 1.
    case refused(String, advice: String? = nil)

    /// What a shell sees.
    var exitCode: Int32 {
        switch self {
        case .usage: 2
        case .refused: 1
        }
    }

    /// The lines for standard error.
    var lines: [String] {
        switch self {
        case .usage(let problems): problems
        case .refused(let reason, let advice): [reason] + (advice.map { [$0] } ?? [])
        }
    }
}

/// A value that is not what an option takes; the text continues `--name …`.
struct Unreadable: Error {
    let expectation: String

    init(_ expectation: String) { self.expectation = expectation }
}
