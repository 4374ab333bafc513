package import Postgres

/// The numbered files of `migrations/`, embedded in the binary.
package enum Schema {
    /// All of them, oldest first.
    package static let migrations = [
        Migration(number: 1, name: "create_apps", sql: PackageResources._001_create_apps_sql),
        Migration(number: 2, name: "create_inboxes", sql: PackageResources._002_create_inboxes_sql),
        Migration(number: 3, name: "create_messages", sql: PackageResources._003_create_messages_sql),
        Migration(number: 4, name: "create_roles", sql: PackageResources._004_create_roles_sql),
        Migration(number: 5, name: "add_settings", sql: PackageResources._005_add_settings_sql),
        Migration(number: 6, name: "add_tokens", sql: PackageResources._006_add_tokens_sql),
        Migration(number: 7, name: "create_fanouts", sql: PackageResources._007_create_fanouts_sql),
        Migration(
            number: 8, name: "create_idempotency_keys", sql: PackageResources._008_create_idempotency_keys_sql
        ),
        Migration(number: 9, name: "create_audit", sql: PackageResources._009_create_audit_sql),
        Migration(
            number: 10, name: "create_client_events", sql: PackageResources._010_create_client_events_sql),
        Migration(number: 11, name: "count_channels", sql: PackageResources._011_count_channels_sql),
        Migration(number: 12, name: "grant_new_tables", sql: PackageResources._012_grant_new_tables_sql),
        Migration(number: 13, name: "add_retention", sql: PackageResources._013_add_retention_sql),
        Migration(number: 14, name: "raise_revisions", sql: PackageResources._014_raise_revisions_sql),
        Migration(
            number: 15, name: "find_apps_by_origin", sql: PackageResources._015_find_apps_by_origin_sql),
        Migration(
            number: 16, name: "find_audit_of_people", sql: PackageResources._016_find_audit_of_people_sql),
        Migration(
            number: 17, name: "clean_up_indexes", sql: PackageResources._017_clean_up_indexes_sql),
        Migration(number: 18, name: "note_moves", sql: PackageResources._018_note_moves_sql),
        Migration(
            number: 19, name: "note_devices_beside_people",
            sql: PackageResources._019_note_devices_beside_people_sql),
        Migration(
            number: 20, name: "index_devices_beside_people",
            sql: PackageResources._020_index_devices_beside_people_sql),
    ]
}
