import Postgres
import TestSupport
import Testing

@testable import PrivateCluster

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs what blocks on a thread of its own, with a data folder that has a cluster which never ran.
///
/// Copied from one that is made once: making costs two seconds.
func withCluster(_ body: @escaping @Sendable (DataFolder) throws -> Void) async throws {
    try await onItsThread {
        let folder = try DataFolder(try TestFolder.path())
        try Subprocess(command: ["/bin/cp", "-a", try made.get(), folder.data]).run()
        try body(folder)
    }
}

private let made = Result { () throws -> String in
    let folder = try DataFolder(try TestFolder.path())
    try folder.open(for: .command).close()
    return folder.data
}

extension DataFolder {
    /// The process of the server that runs on the data.
    var server: pid_t? { RunningServer.find(data: data)?.process }
}

extension PrivateCluster {
    /// Whether it answers a statement.
    func answers() throws -> Bool {
        try AdminConnection(connectionString).value("SELECT current_user = current_database()")
    }
}
