package import PrivateCluster
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Folders for tests, with short names, that are gone with this process however it ends; so are the
/// PostgreSQL servers whose data lie in them.
package enum TestFolder {
    /// A path where nothing is yet.
    package static func path() throws -> String {
        "\(try root.get())/\(count.add(1, ordering: .relaxed).newValue)"
    }

    /// A new folder that only this account may enter.
    package static func make(for account: Account) throws -> String {
        let path = try path()
        try account.makeFolder(path)
        return path
    }

    private static let count = Atomic(0)

    private static let root = Result { () throws -> String in
        var template = Array("/tmp/martlet-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw NoFolder(errno: errno) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, 0o711)  // for PostgreSQL's own account
        try lookAfter(path)
        return path
    }

    private struct NoFolder: Error {
        let errno: Int32
    }

    /// Starts a small shell that outlives us, and then stops the servers and removes the folder.
    private static func lookAfter(_ folder: String) throws {
        var pipes: [Int32] = [-1, -1]
        precondition(pipe(&pipes) == 0, "a pipe needs two descriptors")
        // Ours stays open until this process ends; nobody else may have it.
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let script = """
            cat >/dev/null
            servers() { find "$1" -name postmaster.pid; }
            for file in $(servers "$1"); do kill -QUIT "$(head -n 1 "$file")"; done
            waits=0
            while [ -n "$(servers "$1")" ] && [ $waits -lt 100 ]; do sleep 0.1; waits=$((waits + 1)); done
            for socket in $(find "$1" -name socket-folder -exec cat {} +); do
                case "$socket" in /tmp/martlet-*) rm -rf "$socket" ;; esac
            done
            rm -rf "$1"
            """
        let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        _ = try Subprocess(command: ["/bin/sh", "-c", script, "sh", folder])
            .start(stdin: pipes[0], output: output)
        close(output)
        close(pipes[0])
    }
}
