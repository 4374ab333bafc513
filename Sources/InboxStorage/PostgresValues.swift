import InboxModel
import InboxService
package import Postgres

extension AppID: PostgresValue {}
extension InboxID: PostgresValue {}
extension Revision: PostgresValue {}
extension DeviceTypes: PostgresValue {}
extension DeviceType: PostgresValue {}
extension SecretID: PostgresValue {}

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

extension ScheduleID: PostgresValue {
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

extension AppKey: PostgresValue {
    package static var postgresType: PostgresType { .text }

    package func encode(into writer: inout ParameterWriter) { text.encode(into: &writer) }

    package init(field: borrowing Field) throws(PostgresError) {
        guard let key = AppKey(text: try String(field: field)) else {
            throw field.mismatch(AppKey.self, "is no app key")
        }
        self = key
    }
}

extension TokenScope {
    /// What stands for it in the sum that is stored.
    private var bit: Int16 {
        switch self {
        case .send: 1
        case .read: 2
        case .admin: 4
        }
    }

    /// The scopes that a stored sum stands for.
    static func scopes(_ sum: Int16) -> Set<TokenScope> { Set(allCases.filter { sum & $0.bit != 0 }) }

    /// The sum that is stored.
    static func sum(_ scopes: Set<TokenScope>) -> Int16 { scopes.reduce(0) { $0 | $1.bit } }
}
