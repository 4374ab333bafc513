import Foundation

/// A small shell that outlives this process, and ends what the ground has started when the ground cannot.
final class Caretaker {
    private let process: Child
    /// It ends with this process, however that ends: nobody else holds this side.
    private let life: FileHandle

    /// Looks after a folder: servers whose ids are in `*.pid`, and PostgreSQL with its data in `data`.
    init(of folder: String) throws {
        let pipe = Pipe()
        life = pipe.fileHandleForWriting
        process = try Child(
            ["/bin/sh", "-c", Caretaker.script, "sh", folder], input: pipe.fileHandleForReading,
            output: LogFile.open("/dev/null"))
    }

    /// Lets it look once more, and end.
    func end() async throws {
        try life.close()
        let id = process.id
        try await offLoop { _ = waitpid(id, nil, 0) }
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
