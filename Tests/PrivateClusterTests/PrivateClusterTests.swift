import Platform
import Postgres
import TestSupport
import Testing

@testable import PrivateCluster

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

struct PrivateClusterTests {
    @Test func `an empty folder becomes a database, which runs until it is closed`() async throws {
        try await onItsThread {
            let folder = try DataFolder(try TestFolder.path())
            let cluster = try folder.open(for: .serve)
            let connection = try AdminConnection(cluster.connectionString)
            #expect(try connection.value("SHOW listen_addresses", as: String.self) == "")
            #expect(try connection.value("SHOW jit", as: String.self) == "off")
            #expect(try connection.value("SHOW data_checksums", as: String.self) == "on")
            let server = try #require(folder.server)
            try cluster.close()
            try cluster.close()
            #expect(folder.server == nil)
            #expect(kill(server, 0) == -1)
            #expect(throws: PostgresError.self) { try cluster.answers() }
        }
    }

    @Test func `what was written is there when the folder is opened again`() async throws {
        try await withCluster { folder in
            let first = try folder.open(for: .command)
            try AdminConnection(first.connectionString).script("CREATE TABLE a AS SELECT 7 AS x")
            try first.close()
            let second = try folder.open(for: .serve)
            #expect(
                try AdminConnection(second.connectionString).value("SELECT x FROM a", as: Int32.self) == 7)
            #expect(second.connectionString == first.connectionString)
            try second.close()
        }
    }

    @Test func `a second serve is refused with the process of the first`() async throws {
        try await withCluster { folder in
            let first = try folder.open(for: .serve)
            let error = #expect(throws: ClusterError.self) { try folder.open(for: .serve) }
            #expect(error?.description.contains("(process \(getpid()))") == true)
            #expect(try first.answers())
            try first.close()
            try folder.open(for: .serve).close()
        }
    }

    @Test func `whoever leaves last stops the server`() async throws {
        try await withCluster { folder in
            let command = try folder.open(for: .command)
            let serve = try folder.open(for: .serve)
            let other = try folder.open(for: .command)
            try command.close()
            #expect(try serve.answers())
            try serve.close()
            #expect(try other.answers())
            try other.close()
            #expect(folder.server == nil)
        }
    }

    @Test func `many that come and go at once find it running`() async throws {
        let folder = try DataFolder(try TestFolder.path())
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onItsThread {
                        let cluster = try folder.open(for: .command)
                        defer { #expect(throws: Never.self) { try cluster.close() } }
                        return try cluster.answers()
                    }
                }
            }
            for try await answered in group { #expect(answered) }
        }
        #expect(folder.server == nil)
    }

    @Test func `a server that a killed owner left is adopted, and stopped at the end`() async throws {
        try await withCluster { folder in
            let left = try folder.startUnowned()
            let cluster = try folder.open(for: .serve)
            #expect(try cluster.answers())
            #expect(folder.server == left)
            try cluster.close()
            #expect(folder.server == nil)
        }
    }

    @Test func `a server that is killed while serve runs comes back at the same place`() async throws {
        try await withCluster { folder in
            let reports = Lock<[String]>([])
            let cluster = try folder.open(for: .serve) { text in reports.withLock { $0.append(text) } }
            let first = try #require(folder.server)
            kill(first, SIGKILL)
            let isBack = Cluster.waits(600) { (try? cluster.answers()) ?? false }
            #expect(isBack)
            #expect(folder.server != first)
            #expect(reports.withLock { $0.count } == 1)
            try cluster.close()
            #expect(folder.server == nil)
        }
    }

    @Test func `a file of a dead server, whose number another program has, is no obstacle`() async throws {
        try await withCluster { folder in
            let text = "\(getpid())\n\(folder.data)\n1\n5432\n/tmp/martlet-none\n\n0 0\nready   \n"
            try Files.save(text, to: "\(folder.data)/postmaster.pid", mode: 0o644, replacing: false)
            let cluster = try folder.open(for: .command)
            #expect(try cluster.answers())
            try cluster.close()
        }
    }

    @Test func `a socket's lock of a dead server, whose number another program has, is no obstacle`()
        async throws
    {
        try await withCluster { folder in
            let account = try Account.current()
            let sleeper = Subprocess(command: account.prefix + ["/bin/sleep", "600"])
            let null = open("/dev/null", O_RDWR | O_CLOEXEC)
            let other = try sleeper.start(stdin: null, output: null)
            close(null)
            defer {
                kill(other, SIGKILL)
                _ = Cluster.waits(100) { Subprocess.reap(other) }
            }
            let socketFolder = try TestFolder.make(for: account)
            try Files.save("\(socketFolder)\n", to: folder.socketFolderFile, mode: 0o600, replacing: true)
            let lock = "\(socketFolder)/.s.PGSQL.\(Cluster.port).lock"
            let text = "\(other)\n\(folder.data)\n1\n5432\n\(socketFolder)\n"
            try Files.save(text, to: lock, mode: 0o600, replacing: false)
            chown(lock, account.user, account.group)
            let cluster = try folder.open(for: .command)
            #expect(cluster.connectionString.contains("host=\(socketFolder) "))
            #expect(try cluster.answers())
            try cluster.close()
        }
    }

    @Test func `a socket's folder that is gone, as after a reboot, is made again`() async throws {
        try await withCluster { folder in
            try Files.save(
                "/tmp/martlet-gone-\(getpid())\n", to: folder.socketFolderFile, mode: 0o600, replacing: true)
            let cluster = try folder.open(for: .command)
            #expect(cluster.connectionString.contains("host=/tmp/martlet-gone-\(getpid()) "))
            #expect(try cluster.answers())
            try cluster.close()
        }
    }

    @Test func `a socket's folder that others may enter is not used`() async throws {
        try await withCluster { folder in
            let open = try TestFolder.path()
            mkdir(open, 0o777)
            chmod(open, 0o777)
            try Files.save("\(open)\n", to: folder.socketFolderFile, mode: 0o600, replacing: true)
            let cluster = try folder.open(for: .command)
            #expect(!cluster.connectionString.contains(open))
            try cluster.close()
        }
    }

    @Test(arguments: [0, 1, 3])
    func `whoever is told to end while it starts leaves no server`(questions: Int) async throws {
        try await withCluster { folder in
            let asked = Lock(0)
            let error = #expect(throws: ClusterError.self) {
                try folder.open(
                    for: .serve,
                    isInterrupted: {
                        asked.withLock { asked in
                            asked += 1
                            return asked > questions
                        }
                    })
            }
            guard case .interrupted? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(folder.server == nil)
            let cluster = try folder.open(for: .command)
            #expect(try cluster.answers())
            try cluster.close()
        }
    }

    @Test func `a server that cannot start says why`() async throws {
        try await withCluster { folder in
            let settings =
                Files.tail("\(folder.data)/postgresql.conf", bytes: 100_000) + "\nshared_buffers = 'many'\n"
            try Files.save(settings, to: "\(folder.data)/postgresql.conf", mode: 0o644, replacing: true)
            let error = #expect(throws: ClusterError.self) { try folder.open(for: .command) }
            #expect(error?.description.contains("shared_buffers") == true)
        }
    }
}

extension DataFolder {
    /// Starts the server as somebody who was killed right afterwards.
    fileprivate func startUnowned() throws -> pid_t {
        let cluster = Cluster(
            data: data, log: log, programs: try Cluster.programs(for: data, environment: Self.environment))
        return try cluster.start(socketFolder: try TestFolder.make(for: try Account.current()))
    }
}
