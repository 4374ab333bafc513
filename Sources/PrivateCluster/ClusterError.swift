/// Why the private PostgreSQL could not be used; the description says what to do.
package enum ClusterError: Error, Sendable, CustomStringConvertible {
    /// Another `serve` has the folder.
    case owned(folder: String, process: Int32?)
    /// No PostgreSQL that we could start.
    case noBinaries(searched: [String])
    /// The data belong to a major version that is not installed.
    case otherVersion(folder: String, data: Int, installed: [Int])
    /// PostgreSQL refuses to run as root, and there is no account to run it as.
    case noAccount(String)
    /// A file or folder that the system does not let us use.
    case file(path: String, doing: String, reason: String)
    /// A program of PostgreSQL's ended with an error.
    case program(String, said: String)
    /// Whoever opened it wanted to end before it was open.
    case interrupted
    /// PostgreSQL did not do something in time.
    case late(String, log: String)

    package var description: String {
        switch self {
        case .owned(let folder, let process):
            """
            another "martlet serve"\(process.map { " (process \($0))" } ?? "") owns the data folder \
            \(folder): stop it first, or give this one a folder of its own (--data) or a database (--database)
            """
        case .noBinaries(let searched):
            """
            no PostgreSQL 14 or newer is installed (looked in \(searched.joined(separator: ", "))): install \
            it (Debian: apt-get install postgresql), name its folder of programs in MARTLET_POSTGRES_BIN, \
            or give --database
            """
        case .otherVersion(let folder, let data, let installed):
            """
            the data in \(folder) belong to PostgreSQL \(data), but only \(Self.list(installed)) is \
            installed: install PostgreSQL \(data) beside it to go on, or move the data with pg_upgrade or \
            with a dump made by PostgreSQL \(data)
            """
        case .noAccount(let reason):
            """
            PostgreSQL does not run as root, and \(reason): start martlet as another user, create the \
            account "postgres", or give --database
            """
        case .file(let path, let doing, let reason):
            "\(doing) \(path): \(reason)"
        case .program(let program, let said):
            "\(program) failed: \(said)"
        case .interrupted:
            "told to end while PostgreSQL was starting"
        case .late(let what, let log):
            "PostgreSQL \(what); its log is \(log)"
        }
    }

    private static func list(_ versions: [Int]) -> String {
        versions.map(String.init).joined(separator: ", ")
    }
}
