import InboxStorage
import Postgres

extension Template {
    /// The project's schema, and nothing in it.
    package static let inbox = Template("inbox") { url in
        try Migrator.migrate(AdminConnection(url), Schema.migrations)
    }
}
