#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An installed PostgreSQL: the folder of its programs.
package struct PostgresPrograms: Sendable {
    package let folder: String
    /// Its major version.
    package let version: Int

    /// The oldest version that Martlet works with.
    static let oldest = 14

    /// Everything that is installed, newest first.
    ///
    /// `MARTLET_POSTGRES_BIN`, if set, is the only place to look in.
    /// - Throws: `.noBinaries`.
    package static func installed(
        environment: [String: String]
    ) throws(ClusterError) -> [PostgresPrograms] {
        let places = environment["MARTLET_POSTGRES_BIN"].map { [$0] } ?? knownPlaces(environment)
        var found: [PostgresPrograms] = []
        for folder in places where !found.contains(where: { $0.folder == folder }) {
            if let programs = look(in: folder), programs.version >= oldest { found.append(programs) }
        }
        guard !found.isEmpty else { throw .noBinaries(searched: places) }
        return found.sorted { $0.version > $1.version }
    }

    /// The path of a program.
    func path(_ program: String) -> String {
        "\(folder)/\(program)"
    }

    private static func look(in folder: String) -> PostgresPrograms? {
        let isComplete = ["postgres", "initdb"].allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
        // A program that is there and does not run is as good as none.
        guard isComplete,
            let output = try? Subprocess(command: ["\(folder)/postgres", "--version"]).run(),
            // postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
            let number = output.split(separator: " ").dropFirst(2).first,
            let version = Int(number.prefix { $0.isNumber })
        else { return nil }
        return PostgresPrograms(folder: folder, version: version)
    }

    /// Where packages put the programs, and what `PATH` has.
    private static func knownPlaces(_ environment: [String: String]) -> [String] {
        let patterns = [
            "/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin",
            "/usr/local/opt/postgresql@*/bin", "/usr/local/pgsql/bin",
        ]
        let path = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return patterns.flatMap(matches) + path.filter { Files.exists("\($0)/initdb") }
    }

    private static func matches(_ pattern: String) -> [String] {
        var list = glob_t()
        defer { globfree(&list) }
        guard glob(pattern, 0, nil, &list) == 0 else { return [] }
        return (0..<Int(list.gl_pathc)).compactMap { list.gl_pathv[$0].map { String(cString: $0) } }
    }
}
