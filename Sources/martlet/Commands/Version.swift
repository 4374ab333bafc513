import InboxWire

extension Command {
    /// `martlet version`.
    static let version = Command(
        "version", "Print the version", takes: ([], []), examples: ["martlet version"]
    ) { arguments, console in
        try arguments.finish()
        console.show(["martlet \(Version.current)"], json: .object(["version": .string(Version.current)]))
    }
}

/// What this program calls itself.
enum Version {
    /// The release, as in CHANGELOG.md.
    static let current = "0.1.0"
}
