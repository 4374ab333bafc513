import Crypto
import Foundation
import InboxStorage
import Postgres

/// The installation's key: in a file outside the database, which it must fit.
enum DatabaseKey {
    /// - Throws: `CommandFailure.refused` if the file is missing or holds no key.
    static func read(_ path: String) throws(CommandFailure) -> SecretKey {
        let contents: Data
        do {
            contents = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw .refused(
                "the key file \(path) cannot be read",
                advice:
                    "make one, once, for all servers: (umask 077; head -c 32 /dev/urandom | base64 > \(path))"
            )
        }
        guard let key = SecretKey(file: Array(contents)) else {
            throw .refused("\(path) holds no key: 32 bytes in base64 are expected")
        }
        return key
    }

    /// Holds the key against the database; the first key that comes is the database's.
    ///
    /// - Throws: `CommandFailure.refused` if it is another one, `PostgresError`.
    static func check(_ key: SecretKey, from path: String, _ connection: AdminConnection) throws {
        guard try !fits(key, from: path, connection) else { return }
        try Installation(connection).propose(keyCheck: key.derive(purpose).seal(text))
        // Two that come first at once: one proposal counts for both.
        _ = try fits(key, from: path, connection)
    }

    /// Whether the key is the database's; false if the database has none yet.
    ///
    /// - Throws: `CommandFailure.refused` if it is another one, `PostgresError`.
    static func fits(_ key: SecretKey, from path: String, _ connection: AdminConnection) throws -> Bool {
        guard let sealed = try Installation(connection).keyCheck() else { return false }
        guard key.derive(purpose).open(sealed) == text else {
            throw CommandFailure.refused(
                "\(path) is not the key that this database was made with",
                advice:
                    "use the same secret key file for all servers, and restore it together with the database")
        }
        return true
    }

    private static let purpose = "key check"
    private static let text = Array("martlet".utf8)
}
