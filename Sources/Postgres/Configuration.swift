import CPostgres

/// Where a database is and how a connection to it behaves; parsed once, so that a bad URL is refused at
/// start.
package struct ConnectionConfiguration: Sendable {
    /// The role that the connection works as, by `SET ROLE`; nil stays the role that logged in.
    package var role: String?
    /// Shown in `pg_stat_activity`.
    package var applicationName = "martlet"
    /// How long one attempt to connect may take.
    package var connectWithin = Duration.seconds(5)
    /// PostgreSQL's `statement_timeout`.
    package var statementWithin = Duration.seconds(10)
    /// PostgreSQL's `lock_timeout`; nil is a pipeline's own default, and no limit for an `AdminConnection`.
    package var lockWithin: Duration?

    /// Keywords of libpq in the order of the URL.
    private var options: [(keyword: String, value: String)]

    /// Reads a `postgresql://` URL or a `key=value` text as libpq does.
    ///
    /// - Throws: kind `.refused` with libpq's reason, which does not quote a password.
    package init(_ text: String) throws(PostgresError) {
        var reason: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(text, &reason) else {
            defer { PQfreemem(reason) }
            // libpq quotes the place that it stumbled over, which may be part of a password.
            let reason = reason.map { String(cString: $0) } ?? "out of memory"
            throw PostgresError(.refused, "the database URL is malformed: \(Self.unquoted(reason))")
        }
        defer { PQconninfoFree(list) }
        var options: [(keyword: String, value: String)] = []
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                options.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        self.options = options
    }

    /// The same with another role.
    package func role(_ role: String?) -> ConnectionConfiguration {
        var copy = self
        copy.role = role
        return copy
    }

    /// The same server's other database.
    package func database(_ name: String) -> ConnectionConfiguration {
        var copy = self
        copy.options.removeAll { $0.keyword == "dbname" }
        copy.options.append(("dbname", name))
        return copy
    }

    /// The URL's keywords as `key='value'` text, for programs of PostgreSQL's; holds the password, if there
    /// is one.
    package var conninfo: String {
        options.map { keyword, value in
            let escaped = value.split(separator: "\\", omittingEmptySubsequences: false).joined(
                separator: "\\\\"
            )
            .split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
            return "\(keyword)='\(escaped)'"
        }.joined(separator: " ")
    }

    /// The value of a keyword in the URL, such as `host` or `dbname`.
    package subscript(keyword keyword: String) -> String? {
        options.last { $0.keyword == keyword }?.value
    }

    /// What goes to libpq: the URL's keywords over our defaults.
    ///
    /// Keepalives and `tcp_user_timeout` (Linux) end a connection whose other side has vanished without a
    /// word.
    func keywords() -> [(keyword: String, value: String)] {
        let defaults = [
            ("fallback_application_name", applicationName), ("keepalives_idle", "10"),
            ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
        ]
        // Behind the defaults, because the later of two counts for libpq.
        return defaults.map { (keyword: $0.0, value: $0.1) } + options + [("client_encoding", "UTF8")]
    }

    /// Settings of the session, made right after connecting; they do not go into the start-up packet, which
    /// poolers refuse without a clear word.
    var settings: SQL {
        let within = Self.text(statementWithin)
        var settings: SQL = "SELECT pg_catalog.set_config('statement_timeout', \(within), false)"
        settings.append(
            ", pg_catalog.set_config('idle_in_transaction_session_timeout', \(within), false)")
        // Writes look again under their locks: at another level a statement would not see what it waited for.
        settings.append(
            ", pg_catalog.set_config('default_transaction_isolation', 'read committed', false)")
        if let lockWithin {
            settings.append(", pg_catalog.set_config('lock_timeout', \(Self.text(lockWithin)), false)")
        }
        if let role {
            settings.append(", pg_catalog.set_config('role', \(role), false)")
        }
        return settings
    }

    private static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))ms"
    }

    private static func unquoted(_ reason: String) -> String {
        var isQuoted = false
        let shown = reason.split(separator: "\n").joined(separator: " ").filter { character in
            guard character == "\"" else { return !isQuoted }
            isQuoted.toggle()
            return true
        }
        return shown.replacing("\"\"", with: "…")
    }
}
