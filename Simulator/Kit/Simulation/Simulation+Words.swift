import ClientCore
import InboxClient
import InboxModel
import Platform
import ReferenceInbox

/// A row of a list, from the one side or the other.
struct MessageView {
    let message: MessageID
    let isUnread: Bool
    let place: String
    let sent: Int64
    let expires: Int64?

    init(_ row: ReferenceInbox.Listed) {
        (message, isUnread, place) = (row.message, row.isUnread, row.place.rawValue)
        (sent, expires) = (row.sent.milliseconds, row.expires.milliseconds)
    }

    init(_ row: MessageRow) {
        (message, isUnread, place) = (row.id, row.isUnread, row.place.rawValue)
        (sent, expires) = (row.content.sent.milliseconds, row.content.expires?.milliseconds)
    }
}

/// Words for stories.
extension Simulation {
    func words(_ view: MessageView) -> String {
        "\(view.message.text) \(view.isUnread ? "unread" : "read") \(view.place) \(view.sent) "
            + "\(view.expires ?? 0)"
    }

    func words(_ row: MessageRow) -> String {
        "\(row.isUnread ? "unread" : "read") \(row.place.rawValue)"
    }

    func words(_ shown: Shown, of phone: Int) -> String {
        let app = phones[phone].plan.app
        return "[" + shown.rows.map { "\(apps[app].name($0.id)) \(words($0))" }.joined(separator: ", ") + "]"
    }

    func words(_ call: SyncCall, of phone: Int) -> String {
        let app = phones[phone].plan.app
        switch call {
        case .register: return "register"
        case .logIn(let login): return "log in \(login.person?.text ?? "nobody")"
        case .mark(let mark, let targets):
            return "mark \(targets.map { apps[app].name($0.id) }) \(mark.rawValue)"
        case .list(let validator): return validator == nil ? "list" : "list, if modified"
        case .changes: return "changes"
        }
    }

    static func words(_ news: SyncNews) -> String {
        switch news {
        case .refreshed(_, let problem): problem.map { "refreshed in vain: \($0.text)" } ?? "refreshed"
        case .loginRefused(let person, let problem): "login of \(person.text) refused: \(problem.text)"
        case .loginChanged(let reason): "login changed: \(reason)"
        case .marksRefused(_, let problem): "marks refused: \(problem.text)"
        case .installationReplaced: "installation replaced"
        case .troubled(let problem): "troubled: \(problem.text)"
        }
    }

    func words(_ audience: Audience) -> String {
        switch audience {
        case .everyone: "everyone"
        case .channels(let channels, _):
            "\(phones.filter { phone in channels.contains { $0 == phone.kept.installation?.channel } }.map { "device \($0.number)" })"
        case .namedUsers(let people): "\(people.map(\.text))"
        case .tags(let tags, _): "tag \(tags)"
        case .all, .any, .not: "some"
        }
    }
}
