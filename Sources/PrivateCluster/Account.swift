#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Whom PostgreSQL runs as: us, or `postgres` if we are root, since it refuses to run as root.
package struct Account {
    let user: uid_t
    let group: gid_t
    /// What comes before a command so that it runs as the account.
    let prefix: [String]

    package static func current() throws(ClusterError) -> Account {
        guard geteuid() == 0 else { return Account(user: geteuid(), group: getegid(), prefix: []) }
        guard let entry = getpwnam("postgres") else {
            throw .noAccount("there is no account \"postgres\"")
        }
        // `setpriv` becomes the program that it runs, so that our child is PostgreSQL itself; `runuser` stays
        // between.
        guard let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first(where: Files.exists) else {
            throw .noAccount("there is no setpriv to change the account with")
        }
        let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        return Account(
            user: user, group: group,
            prefix: [setpriv, "--reuid=\(user)", "--regid=\(group)", "--init-groups", "--"])
    }

    /// Makes an empty folder that only the account may enter.
    package func makeFolder(_ path: String) throws(ClusterError) {
        guard mkdir(path, 0o700) == 0, chown(path, user, group) == 0 else {
            throw .file(path: path, doing: "making the folder", reason: Files.reason())
        }
    }

    /// Whether it is a folder of the account's that nobody else may enter.
    func owns(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return status.st_uid == user && status.st_mode & 0o077 == 0
    }

    /// Whether the account may pass through all folders above `path`.
    func checkReach(of path: String) throws(ClusterError) {
        guard !prefix.isEmpty else { return }
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            var status = stat()
            guard stat(folder, &status) == 0 else { continue }
            let bit: mode_t = status.st_uid == user ? 0o100 : status.st_gid == group ? 0o010 : 0o001
            guard status.st_mode & bit == 0 else { continue }
            throw .file(
                path: path, doing: "keeping PostgreSQL's data in",
                reason: """
                    PostgreSQL runs as "postgres" when martlet is root, and that account may not enter \
                    \(folder): choose another folder (--data), for example /var/lib/martlet, or allow it \
                    (chmod o+x \(folder))
                    """)
        }
    }
}
