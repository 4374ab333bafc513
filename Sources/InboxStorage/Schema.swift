package import Postgres

/// The numbered files of `migrations/`, embedded in the binary.
package enum Schema {
    /// All of them, oldest first.
    package static let migrations = [
        Migration(number: 1, name: "create_apps", sql: PackageResources._001_create_apps_sql),
        Migration(number: 2, name: "create_inboxes", sql: PackageResources._002_create_inboxes_sql),
        Migration(number: 3, name: "create_messages", sql: PackageResources._003_create_messages_sql),
        Migration(number: 4, name: "create_roles", sql: PackageResources._004_create_roles_sql),
    ]
}
