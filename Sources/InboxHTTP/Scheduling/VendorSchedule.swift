import InboxModel
import InboxService
import InboxWire

/// A schedule as the server API shows it.
struct VendorSchedule {
    let id: String
    let name: String?
    /// As it was sent, or in the one form in which published clients read times.
    let time: String
    let push: JSON
    let pushIDs: [String]

    init(_ schedule: Schedule) throws {
        id = schedule.id.text
        name = schedule.name
        time = schedule.due.secondsText
        do {
            push = VendorSchedule.completed(try JSON.parse(Array(schedule.pushJSON.utf8)))
        } catch {
            throw StoreFault.broken("schedule \(id) keeps a push that is no JSON")
        }
        pushIDs = schedule.pushes.map(\.message.pushID)
    }

    /// One that was made, by what was asked for.
    init(_ made: ScheduleReceipt.Entry, from asked: JSON) {
        id = made.id
        name = asked["name"]?.asString
        time = asked["schedule"]?["scheduled_time"]?.asString ?? ""
        push = VendorSchedule.completed(asked["push"] ?? .null)
        pushIDs = made.messages.map { MessageID(wire: $0)?.pushID ?? $0 }
    }

    /// Where a client gets, changes and cancels it.
    func url(_ base: String) -> String { "\(base)/api/schedules/\(id)" }

    /// Published clients fail at a push without these members.
    private static func completed(_ push: JSON) -> JSON {
        switch push {
        case .array(let pushes): return .array(pushes.map(completed))
        case .object(var members):
            for (name, value) in [("device_types", JSON.string("all")), ("notification", .null)]
            where push[name] == nil {
                members.append(JSONMember(name, value))
            }
            return .object(members)
        case .null, .bool, .number, .string: return push
        }
    }
}

extension JSON {
    fileprivate var asString: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

extension JSONWriter {
    /// A schedule in a list, or alone.
    mutating func value(_ schedule: VendorSchedule, at base: String) {
        object { $0.members(of: schedule, at: base) }
    }

    mutating func members(of schedule: VendorSchedule, at base: String) {
        member("url", schedule.url(base))
        if let name = schedule.name { member("name", name) }
        object("schedule") { $0.member("scheduled_time", schedule.time) }
        name("push")
        value(schedule.push)
        member("push_ids", schedule.pushIDs)
    }
}
