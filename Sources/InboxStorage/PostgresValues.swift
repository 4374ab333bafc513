import InboxModel
package import Postgres

extension AppID: PostgresValue {}
extension InboxID: PostgresValue {}
extension Revision: PostgresValue {}
extension DeviceTypes: PostgresValue {}
extension DeviceType: PostgresValue {}

/// As its 22 characters, by which lists are ordered.
extension MessageID: PostgresValue {
    package static var postgresType: PostgresType { .text }

    package func encode(into writer: inout ParameterWriter) {
        append(to: &writer.bytes)
    }

    package init(field: borrowing Field) throws(PostgresError) {
        let text = try String(field: field)
        guard let id = MessageID(text: text.utf8) else {
            throw field.mismatch(MessageID.self, "is no message id")
        }
        self = id
    }
}

extension ChannelID: PostgresValue {
    package static var postgresType: PostgresType { .uuid }

    package func encode(into writer: inout ParameterWriter) { uuid.encode(into: &writer) }

    package init(field: borrowing Field) throws(PostgresError) {
        self.init(try .init(field: field))
    }
}

extension NamedUserID: PostgresValue {
    package static var postgresType: PostgresType { .text }

    package func encode(into writer: inout ParameterWriter) { text.encode(into: &writer) }

    package init(field: borrowing Field) throws(PostgresError) {
        self.init(stored: try String(field: field))
    }
}
