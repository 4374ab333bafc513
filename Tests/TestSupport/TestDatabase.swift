import Dispatch
import Foundation
import Postgres

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a test's database starts with: made once, copied for each test.
package struct Template: Sendable {
    /// Tells templates apart.
    let name: String
    let prepare: @Sendable (_ url: String) throws -> Void

    /// - Parameter prepare: fills an empty database, by migrations for example, and closes its connections.
    package init(_ name: String, prepare: @escaping @Sendable (_ url: String) throws -> Void) {
        self.name = name
        self.prepare = prepare
    }

    /// Nothing.
    package static let empty = Template("empty") { _ in }
}

/// Gives `body` the URL of a database of its own, a copy of the template; it is dropped afterwards.
///
/// It is made on the cluster that `MARTLET_TEST_DATABASE` names (by a superuser's URL), or else on one that
/// this process starts. Where there is no PostgreSQL it throws, so that the test fails.
package func withDatabase<Success>(
    _ template: Template = .empty, _ body: (_ url: String) async throws -> Success
) async throws -> Success {
    await databases.enter()
    let database: TestDatabase
    do {
        database = try await onDatabaseThread { try DatabaseMaker.shared.get().make(template) }
    } catch {
        await databases.leave()
        throw error
    }
    let result: Result<Success, any Error>
    do {
        result = .success(try await body(database.url))
    } catch {
        result = .failure(error)
    }
    do {
        try await onDatabaseThread { try DatabaseMaker.shared.get().drop(database) }
    } catch {
        await databases.leave()
        throw error
    }
    await databases.leave()
    return try result.get()
}

/// Tests all begin at once; so many of them have a database at a time, each with some ten connections.
private let databases = Gate(places: 48)

/// Lets some in and has the others wait, in the order in which they came.
private actor Gate {
    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func enter() async {
        guard places == 0 else { return places -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        places += 1
    }
}

/// The URL of a database that tests share which change nothing in it; quicker than one of their own.
package func sharedDatabase() async throws -> String {
    try await onDatabaseThread { try DatabaseMaker.shared.get().url }
}

/// Runs what blocks on a thread of its own, one after another: the tests' pool has one thread for each core.
package func onDatabaseThread<Success: Sendable>(
    _ work: @escaping @Sendable () throws -> Success
) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        databaseThread.async { continuation.resume(with: Result { try work() }) }
    }
}

private let databaseThread = DispatchQueue(label: "test databases")

/// A database and where it is.
struct TestDatabase: Sendable {
    let name: String
    let url: String
}

/// Makes databases on the tests' cluster.
final class DatabaseMaker: @unchecked Sendable {
    // Sendable, because `onDatabaseThread` runs all calls one after another.
    static let shared = Result { try DatabaseMaker() }

    private let server: ConnectionConfiguration
    private let connection: AdminConnection
    private let cluster: TestCluster?
    private var templates: [String: String] = [:]
    private var count = 0

    private init() throws {
        if let url = getenv("MARTLET_TEST_DATABASE").map({ String(cString: $0) }), !url.isEmpty {
            cluster = nil
            server = try ConnectionConfiguration(url)
        } else {
            let cluster = try TestCluster()
            self.cluster = cluster
            server = try ConnectionConfiguration(cluster.connectionString)
        }
        var patient = server
        patient.statementWithin = .seconds(60)  // many tests at once on a small machine
        connection = try AdminConnection(patient)
    }

    var url: String { server.conninfo }

    func make(_ template: Template) throws -> TestDatabase {
        try create(copying: try templates[template.name] ?? prepare(template))
    }

    func drop(_ database: TestDatabase) throws {
        try connection.script("DROP DATABASE \(database.name) WITH (FORCE)")
    }

    private func prepare(_ template: Template) throws -> String {
        let database = try create(copying: "template0")
        try template.prepare(database.url)
        templates[template.name] = database.name
        return database.name
    }

    private func create(copying source: String) throws -> TestDatabase {
        count += 1
        let name = "test_\(getpid())_\(count)"
        // The backend of a closed connection takes a moment to leave the template; the server waits up to 5 s
        // for it.
        try connection.script("CREATE DATABASE \(name) TEMPLATE \(source)")
        return TestDatabase(name: name, url: server.database(name).conninfo)
    }
}

/// Runs what blocks on a thread that it has for itself: the tests' pool has one thread for each core.
package func onItsThread<Success: Sendable>(
    _ work: @escaping @Sendable () throws -> Success
) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
