import InboxModel
import InboxService
import Postgres

/// The views that a write changes: whoever watches them is told once it is committed.
enum ChangedViews {
    /// None: what it writes is in no view.
    case none
    /// Those of inboxes that were known beforehand, if a statement touched a row.
    case inboxes([InboxID])
    /// Those of the inboxes that statements return in a column named `changed_inbox`.
    case returned
    /// All of the app; and sooner those of inboxes that statements return.
    case all

    private static let column = "changed_inbox"

    /// Gives the hints of a write that is committed.
    func tell(_ hints: Hints, of app: AppID, _ results: [QueryResult]) throws(PostgresError) {
        switch self {
        case .none:
            precondition(
                !results.contains { $0.hasColumn(ChangedViews.column) },
                "a write that returns \(ChangedViews.column) changes views")
        case .inboxes(let inboxes):
            if results.contains(where: { $0.affected > 0 }) { hints.changed(inboxes, of: app) }
        case .returned:
            hints.changed(try ChangedViews.inboxes(in: results), of: app)
        case .all:
            hints.changed(try ChangedViews.inboxes(in: results), of: app)
            hints.changed(app)
        }
    }

    private static func inboxes(in results: [QueryResult]) throws(PostgresError) -> [InboxID] {
        var inboxes: [InboxID] = []
        for result in results where result.hasColumn(column) {
            inboxes += try result.column(column, as: InboxID.self)
        }
        return inboxes
    }
}
