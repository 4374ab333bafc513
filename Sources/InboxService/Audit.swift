package import Platform

/// Something that was done to an app or its people, as it is written down in the same transaction.
package struct AuditLine: Hashable, Sendable {
    /// Who: `master`, a token such as `token:7`, `cli` or `server`.
    package var actor: String
    /// What: a noun and a verb, such as `app.change`.
    package var action: String
    /// The id of what it was done to; empty for the app itself.
    package var subject: String
    /// More as a JSON object, without secrets and without U+0000.
    package var detailJSON: String

    package init(actor: String, action: String, subject: String = "", detailJSON: String = "{}") {
        self.actor = actor
        self.action = action
        self.subject = subject
        self.detailJSON = detailJSON
    }
}

/// A line of an app's audit.
package struct AuditEntry: Hashable, Sendable {
    /// Grows with each entry; entries of the same moment may become visible in another order.
    package var id: Int64
    package var at: Instant
    package var line: AuditLine

    package init(id: Int64, at: Instant, line: AuditLine) {
        self.id = id
        self.at = at
        self.line = line
    }
}
