import Foundation
import InboxModel
import InboxService
import Platform

/// What an answer to the making of schedules is made of, besides what was asked: kept with the request's key.
struct ScheduleReceipt: Codable {
    /// The answer's `operation_id` on the server API; nothing on Martlet's own.
    var operation: String?
    var schedules: [Entry]
    var warnings: [String]

    struct Entry: Codable {
        var id: String
        /// In microseconds since 1970, like `created`.
        var due: Int64
        var created: Int64
        /// Ids of its messages.
        var messages: [String]
    }

    init(operation: String? = nil, _ schedules: [Schedule], warnings: [String] = []) {
        self.operation = operation
        self.warnings = warnings
        self.schedules = schedules.map { schedule in
            Entry(
                id: schedule.id.text, due: schedule.due.rawValue, created: schedule.created.rawValue,
                messages: schedule.pushes.map(\.message.text))
        }
    }

    /// Reads what `memo` wrote.
    init(memo: String) throws { self = try StoredForm.value(of: memo) }

    var memo: String { get throws { try StoredForm.text(self) } }
}
