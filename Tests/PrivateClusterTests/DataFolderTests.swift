import TestSupport
import Testing

@testable import PrivateCluster

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

struct DataFolderTests {
    @Test func `the secret key is made once, for us alone`() throws {
        let folder = try DataFolder(try TestFolder.path())
        let file = try folder.secretKeyFile()
        let key = try #require(Files.text(at: file))
        #expect(key.count == 45)  // 32 bytes in base64, and a line's end
        #expect(key.hasSuffix("=\n"))
        var status = stat()
        stat(file, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        _ = try folder.secretKeyFile()
        #expect(Files.text(at: file) == key)
    }

    @Test func `every folder has another key`() throws {
        let files = try (0..<2).map { _ in try DataFolder(try TestFolder.path()).secretKeyFile() }
        #expect(Files.text(at: files[0]) != Files.text(at: files[1]))
    }

    @Test func `a secret key that others may read is refused`() throws {
        let folder = try DataFolder(try TestFolder.path())
        chmod(try folder.secretKeyFile(), 0o640)
        let error = #expect(throws: ClusterError.self) { try folder.secretKeyFile() }
        #expect(error?.description.contains("chmod 600") == true)
    }

    @Test func `data of a version that is not installed are refused with both versions`() async throws {
        try await onItsThread {
            let folder = try DataFolder(try TestFolder.path())
            mkdir(folder.data, 0o700)
            try Files.save("9\n", to: "\(folder.data)/PG_VERSION", mode: 0o600, replacing: false)
            let error = #expect(throws: ClusterError.self) { try folder.open(for: .command) }
            let installed = try PostgresPrograms.installed(environment: DataFolder.environment)
            #expect(
                error?.description.contains("belong to PostgreSQL 9, but only \(installed[0].version)")
                    == true)
        }
    }

    @Test func `without programs the place to look is named`() throws {
        let folder = try DataFolder(try TestFolder.path())
        let error = #expect(throws: ClusterError.self) {
            try folder.open(for: .command, environment: ["MARTLET_POSTGRES_BIN": "/nowhere"])
        }
        #expect(error?.description.contains("looked in /nowhere") == true)
    }

    @Test func `a folder that cannot be made is named with the reason`() throws {
        let file = try TestFolder.path()
        try Files.save("", to: file, mode: 0o600, replacing: false)
        let error = #expect(throws: ClusterError.self) { try DataFolder("\(file)/data") }
        #expect(error?.description == "making the folder \(file)/data: Not a directory")
    }

    @Test(.enabled(if: geteuid() == 0, "only root runs PostgreSQL under another account"))
    func `a folder that PostgreSQL's account cannot reach is refused with advice`() async throws {
        try await onItsThread {
            let closed = try TestFolder.path()
            mkdir(closed, 0o700)
            let folder = try DataFolder("\(closed)/data")
            let error = #expect(throws: ClusterError.self) { try folder.open(for: .command) }
            #expect(error?.description.contains("may not enter \(closed)") == true)
        }
    }

    @Test func `a long log is moved aside, and the server goes on writing to the same file`() throws {
        let path = try TestFolder.path()
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let lines = Array(String(repeating: "a line of the log\n", count: 500_000).utf8)
        #expect(write(file, lines, lines.count) == lines.count)
        LogFile(path: path).bound()
        #expect(Files.text(at: path) == "")
        write(file, lines, 18)
        #expect(Files.text(at: path) == "a line of the log\n")
        var status = stat()
        stat("\(path).1", &status)
        #expect(status.st_size == off_t(lines.count))
    }
}
