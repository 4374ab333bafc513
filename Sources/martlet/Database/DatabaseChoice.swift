import Crypto
import Postgres

/// The database that a command works on, as the user named it.
enum DatabaseChoice: Sendable {
    /// A private PostgreSQL in a data folder.
    case folder(String)
    /// A PostgreSQL that somebody else runs, and the file of the installation's key.
    case server(ConnectionConfiguration, keyFile: String?)

    /// What `init` reads.
    static let options: [Option] = [.data, .database, .secretKeyFile]

    /// Reads the options; nothing after a problem.
    init?(_ arguments: inout Arguments) {
        let keyFile = arguments.text(.secretKeyFile)
        if arguments.isGiven(.data), arguments.isGiven(.database) {
            arguments.report("--data and --database exclude each other")
            return nil
        }
        let folder = arguments.text(.data)
        // A flag counts before a variable, also before that of the other option.
        guard !arguments.isGiven(.data), arguments.text(.database) != nil else {
            if arguments.isGiven(.secretKeyFile) {
                arguments.report(
                    "--secret-key-file goes with --database; a data folder has its own secret.key")
            }
            self = .folder(folder ?? DatabaseChoice.defaultFolder)
            return
        }
        if folder != nil, !arguments.isGiven(.database) {
            arguments.report("MARTLET_DATA and DATABASE_URL are both set: choose one, or give a flag")
        }
        let configuration = arguments.value(.database) { text throws(Unreadable) in
            do throws(PostgresError) {
                return try ConnectionConfiguration(text)
            } catch {
                throw Unreadable("must be such as postgresql://USER@HOST/NAME; \(error.message)")
            }
        }
        guard let configuration else { return nil }
        self = .server(configuration, keyFile: keyFile)
    }

    private static let defaultFolder = "./.martlet"
}

extension Option {
    /// `--data`.
    static let data = Option(
        "data", "DIR", "folder with a PostgreSQL of its own", fallback: "./.martlet", variable: "MARTLET_DATA"
    )
    /// `--database`.
    static let database = Option(
        "database", "URL", "use this PostgreSQL (14 or newer) instead, such as postgresql://USER@HOST/NAME",
        variable: "DATABASE_URL", "MARTLET_DATABASE", also: [.secret])
    /// `--secret-key-file`.
    static let secretKeyFile = Option(
        "secret-key-file", "FILE",
        "with --database: 32 random bytes in base64, the same file for all servers (head -c 32 /dev/urandom | base64)",
        variable: "MARTLET_SECRET_KEY_FILE")
}
