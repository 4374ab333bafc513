import CPostgres

/// What went wrong between us and PostgreSQL; safe to log, since it never holds a bound value.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// What the caller can do about it.
    package enum Kind: Hashable, Sendable {
        /// Not reachable, starting up or out of resources; nothing was done.
        case unavailable
        /// Too much is waiting here already; nothing was done.
        case overloaded
        /// The statement or the wait for it took longer than allowed; nothing was done.
        case timedOut
        /// The connection broke before the commit was known: it may have been done.
        case outcomeUnknown
        /// A row stayed locked by another transaction, also after the repeats.
        case lockTimeout
        /// Deadlock or serialization failure, also after the repeats.
        case conflict
        /// A constraint by its name.
        case constraint(String)
        /// The server does not let us work: password, role, missing rights, a pooler in between.
        case refused
        /// A result that has not the shape that its reader expects.
        case decoding
        /// Any other error of a statement.
        case other
    }

    package let kind: Kind
    /// PostgreSQL's five characters; empty for errors that arose on our side.
    package let sqlState: String
    /// PostgreSQL's primary message or ours, never its DETAIL, which quotes rows.
    package let message: String
    /// Whether the server ended the connection with this error.
    let endsConnection: Bool
    /// The function of PostgreSQL's source that raised it.
    let function: String

    /// Whether a row that another refers to was deleted between a statement's look at it and its write: run again, the
    /// statement sees that it is gone.
    var isMissedRow: Bool { sqlState == "23503" }

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
        sqlState = ""
        endsConnection = false
        function = ""
    }

    package var description: String {
        sqlState.isEmpty ? "\(kind): \(message)" : "\(kind): \(message) (SQLSTATE \(sqlState))"
    }
}

extension PostgresError {
    /// Reads the error out of a failed result.
    init(result: OpaquePointer) {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        sqlState = field("C") ?? ""
        let constraint = field("n")
        kind = Self.kind(of: sqlState, constraint: constraint)
        message = Self.message(field("M"), sqlState: sqlState, constraint: constraint)
        function = field("R") ?? ""
        let severity = field("V")
        endsConnection = severity == "FATAL" || severity == "PANIC"
    }

    /// The primary message, unless it quotes values itself.
    ///
    /// Class 22 (data exceptions) does: "invalid input syntax for type integer: …". Messages that functions
    /// raise (class P0) are the program's own text and stay.
    private static func message(_ message: String?, sqlState: String, constraint: String?) -> String {
        if sqlState.hasPrefix("22") { return "data that the statement cannot take" }
        if let constraint { return "constraint \(constraint)" }
        return message ?? "the connection broke"
    }

    /// What a SQLSTATE means to a caller (appendix A of PostgreSQL's manual).
    private static func kind(of sqlState: String, constraint: String?) -> Kind {
        switch sqlState {
        case "": .unavailable
        case "55P03": .lockTimeout
        case "40P01", "40001": .conflict
        case "57014", "25P03": .timedOut
        case "28000", "28P01", "42501", "3D000": .refused
        case "25006": .unavailable  // read only: a failover has made this server a standby
        case _ where sqlState.hasPrefix("23") && constraint != nil: .constraint(constraint ?? "")
        case _ where sqlState.hasPrefix("53"), _ where sqlState.hasPrefix("57P"),
            _ where sqlState.hasPrefix("08"), _ where sqlState.hasPrefix("58"):
            .unavailable
        default: .other
        }
    }
}

extension PostgresError {
    /// libpq's message, which has line ends and tabs, as one line.
    static func oneLine(_ message: UnsafePointer<CChar>) -> String {
        String(cString: message).split { $0.isWhitespace }.joined(separator: " ")
    }

    /// Reads what libpq says about a failed attempt to connect; it has no SQLSTATE there.
    init(connectReason reason: String) {
        let refusals = [
            "authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry",
            "not permitted to log in", "certificate", "permission denied for database",
        ]
        // "connection to server at "localhost" (127.0.0.1), port 5432 failed: FATAL:  …" is clear enough; a
        // socket's missing file ("No such file or directory") is a server that does not run.
        self.init(refusals.contains { reason.contains($0) } ? .refused : .unavailable, reason)
    }
}

extension PostgresError {
    /// The same, or a clearer word where a new connection could not take its role.
    func settingUp(_ configuration: ConnectionConfiguration) -> PostgresError {
        // 22023: there is no such role; 42501: the login is no member of it.
        guard let role = configuration.role, sqlState == "22023" || sqlState == "42501" else { return self }
        return PostgresError(.refused, "the role \(role) does not exist or is not granted to the login")
    }
}
