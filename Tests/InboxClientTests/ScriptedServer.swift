import ClientCore
import Foundation
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// A server behind a wire: holds rows, and does as the test says.
final class ScriptedServer: Wire {
    private let state = Lock(State())

    struct State {
        /// What everybody on the device sees, and what each person has beside it.
        var rows: [MessageRow] = []
        var own: [NamedUserID: [MessageRow]] = [:]
        var person: NamedUserID?
        var version = 1
        var isOnline = true
        var calls: [SyncCall] = []
        /// What calls that it speaks of are answered with in place of the usual.
        var refusal: @Sendable (SyncCall) -> SyncProblem? = { _ in nil }
        /// Whether calls wait, and those that do.
        var isSlow = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    init(_ rows: [MessageRow] = []) { state.withLock { $0.rows = rows } }

    var calls: [SyncCall] { state.withLock { $0.calls } }
    var rows: [MessageRow] { state.withLock { $0.rows } }

    /// Changes what it does; the rows are others then.
    func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            state.version += 1
            guard !state.isSlow else { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiting in waiting { waiting.resume() }
    }

    func perform(_ call: SyncCall, as installation: Installation) async -> WireAnswer {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                state.calls.append(call)
                if state.isSlow { state.waiting.append(continuation) }
                return !state.isSlow
            }
            if isReady { continuation.resume() }
        }
        return WireAnswer(state.withLock { $0.answer(call) })
    }

    func stream(of credential: InboxCredential) -> Request? {
        Request(.get, "/stream", headers: ["Authorization": credential.authorization])
    }

    func body(of message: MessageContent, for credential: InboxCredential) -> Request {
        Request(.get, "/body/\(message.id.text)", headers: ["Authorization": credential.authorization])
    }
}

extension ScriptedServer.State {
    mutating func answer(_ call: SyncCall) -> SyncOutcome {
        guard isOnline else { return .failed(.offline) }
        if let problem = refusal(call) { return .failed(problem) }
        switch call {
        case .register: return .registered(InboxCredential(user: "usér", password: "a:b"))
        case .logIn(let login):
            if login.person != person { version += 1 }
            person = login.person
            return .done
        case .mark(let mark, let targets):
            version += 1
            take(mark, Set(targets.map(\.id)), &rows)
            if let person { take(mark, Set(targets.map(\.id)), &own[person, default: []]) }
            return .done
        case .changes("c\(version)"): return .page(.changes([], cursor: "c\(version)"))
        case .list, .changes: return .page(.whole(view, cursor: "c\(version)"))
        }
    }

    /// What whoever is logged in sees.
    var view: [MessageRow] { rows + (person.flatMap { own[$0] } ?? []) }

    private func take(_ mark: MessageMark, _ ids: Set<MessageID>, _ rows: inout [MessageRow]) {
        switch mark {
        case .delete: rows.removeAll { ids.contains($0.id) }
        case .read, .unread:
            for index in rows.indices where ids.contains(rows[index].id) {
                rows[index].isUnread = mark == .unread
            }
        }
    }
}
