import Foundation

/// A small shell that outlives this process, and ends what the ground has started when the ground cannot.
final class Caretaker {
    private let process = Process()
    private let life = Pipe()

    /// Looks after a folder: servers whose ids are in `*.pid`, and PostgreSQL with its data in `data`.
    init(of folder: String) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Caretaker.script, "sh", folder]
        // It ends with this process, however that ends: nobody else holds the other side.
        process.standardInput = life
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Lets it look once more, and end.
    func end() async throws {
        try life.fileHandleForWriting.close()
        try await offLoop { [process] in process.waitUntilExit() }
    }

    private static let script = """
        trap '' INT TERM HUP
        cat >/dev/null
        cd "$1" 2>/dev/null || exit 0
        first() { head -n 1 "$1"; }
        for file in *.pid; do
            [ -e "$file" ] && kill -KILL "$(first "$file")"
        done
        postmaster=data/postmaster.pid
        [ -e "$postmaster" ] && kill -QUIT "$(first "$postmaster")"
        waits=0
        while [ -e "$postmaster" ] && [ $waits -lt 100 ]; do sleep 0.1; waits=$((waits + 1)); done
        rm -rf *.pid data socket older.dump
        """
}
