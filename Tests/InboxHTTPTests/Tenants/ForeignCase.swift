import HTTPCore

/// A request that names what belongs to somebody.
struct ForeignRequest: Sendable {
    enum Outcome: Sendable {
        /// The same answer as where the names are nobody's.
        case likeUnknown
        /// 200 or 400, and of others nothing.
        case nothingOfOthers
        case reset, conflict
    }

    var target: String
    var body = ""
    var outcome = Outcome.likeUnknown
}

/// How an operation is asked for what is not the caller's.
enum ForeignCase: Sendable {
    /// There is nothing in a request by which something could be named.
    case namesNothing
    case requests(@Sendable (Belongings) -> [ForeignRequest])

    /// The operation whose only name is in its path.
    static func path(_ target: @escaping @Sendable (Belongings) -> String) -> ForeignCase {
        .requests { [ForeignRequest(target: target($0))] }
    }

    /// A list whose page may begin behind what a caller names.
    static func page(of list: String) -> ForeignCase {
        .requests { names in
            names.next[list].map {
                [ForeignRequest(target: "\(list)?before=\($0)", outcome: .nothingOfOthers)]
            } ?? []
        }
    }

    /// A mark by ids, and of all up to a cursor.
    static func mark(_ word: String) -> ForeignCase {
        .requests { names in
            let target = "/v1/inbox/\(word)"
            let some = ForeignRequest(target: target, body: #"{"ids":["\#(names.message)"]}"#)
            let all = names.cursor.map {
                ForeignRequest(target: target, body: #"{"all":true,"up_to":"\#($0)"}"#, outcome: .conflict)
            }
            return [some] + [all].compactMap { $0 }
        }
    }

    /// A send to a person and a channel; `before` and `behind` stand around audience and message.
    static func send(_ target: String, _ before: String, _ behind: String) -> ForeignCase {
        .requests { names in
            [#"{"named_user":"\#(names.person)"}"#, #"{"channel":"\#(names.channel)"}"#].map { audience in
                let message = #""audience":\#(audience),"message":{"title":"T","body":"B"}"#
                return ForeignRequest(target: target, body: "\(before)\(message)\(behind)")
            }
        }
    }
}

extension ForeignCase {
    /// By the names of operations; all of them are here.
    static let all: [String: ForeignCase] = [
        "getDocument": .namesNothing,
        "sendMessage": .send("/v1/messages", "{", "}"),
        "listMessages": .requests { names in
            let list = "/v1/messages"
            let byID = ForeignRequest(target: "\(list)?before=\(names.message)")
            let byNext = names.next[list].map {
                ForeignRequest(target: "\(list)?before=\($0)", outcome: .nothingOfOthers)
            }
            return [byID] + [byNext].compactMap { $0 }
        },
        "showMessage": .path { "/v1/messages/\($0.message)" },
        "recallMessage": .path { "/v1/messages/\($0.message)" },
        "createSchedule": .send(
            "/v1/schedules", #"{"scheduled_in":60,"dry_run":true,"message":{"#, "}}"),
        "listSchedules": .page(of: "/v1/schedules"),
        "showSchedule": .path { "/v1/schedules/\($0.schedule)" },
        "deleteSchedule": .path { "/v1/schedules/\($0.schedule)" },
        "getInbox": .page(of: "/v1/inbox"),
        "getChanges": .requests { names in
            names.cursor.map {
                [ForeignRequest(target: "/v1/inbox/changes?since=\($0)", outcome: .reset)]
            } ?? []
        },
        "getUnreadCount": .namesNothing,
        "markRead": .mark("read"), "markUnread": .mark("unread"), "deleteMessages": .mark("delete"),
        "getInboxMessage": .path { "/v1/inbox/messages/\($0.message)" },
        "getInboxMessageBody": .path { "/v1/inbox/messages/\($0.message)/body" },
        "watchInbox": .namesNothing,
        "registerChannel": .requests {
            [
                ForeignRequest(
                    target: "/v1/channels/\($0.channel)",
                    body: #"{"password":"abcdefghijklmnopqrstuv","device_type":"ios"}"#)
            ]
        },
        "uninstallChannel": .path { "/v1/channels/\($0.channel)" },
        "logIn": .requests {
            [
                ForeignRequest(
                    target: "/v1/session/named-user", body: #"{"named_user_id":"\#($0.namesake)"}"#)
            ]
        },
        "logOut": .namesNothing,
        "openSession": .requests {
            [ForeignRequest(target: "/v1/sessions", body: #"{"named_user_id":"\#($0.namesake)"}"#)]
        },
        "endSession": .path { "/v1/sessions/\($0.session)" },
        "keepEvents": .requests {
            let event = #"{"id":"\#($0.event)","type":"opened","message_id":"\#($0.message)"}"#
            return [ForeignRequest(target: "/v1/events", body: #"{"events":[\#(event)]}"#)]
        },
        "showNamedUser": .path { "/v1/named-users/\($0.person)" },
        "getNamedUserInbox": .path { "/v1/named-users/\($0.person)/inbox" },
        "exportNamedUser": .path { "/v1/named-users/\($0.person)/export" },
        "eraseNamedUser": .path { "/v1/named-users/\($0.person)" },
        "showApp": .namesNothing, "changeApp": .namesNothing,
        "listAudit": .page(of: "/v1/audit"),
    ]
}
