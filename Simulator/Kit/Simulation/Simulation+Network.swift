import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// The way of a call to the server and back.
extension Simulation {
    /// After this a device gives a call up.
    private static let patience = Duration.seconds(60)

    /// Faults in the order in which they can be met.
    private static let faultsOfCalls: [NetworkFault] = [
        .outage, .requestLost, .unavailable, .brokenBefore, .strangersPage, .repeated, .repeatedForSecond,
        .brokenAfter, .truncated, .answerLost, .answerLate,
    ]

    mutating func send(_ call: SyncCall, from phone: Int) {
        let sent = takeDown(call, of: phone)
        if phones[phone].isOnline { note(phone) { "asks: \($0.words(call, of: phone))" } }
        if takesForDone(call) { return bring(sent, of: phone, .response(.json { _ in }), after: .zero) }
        let refusedUntil = phones[phone].refusedUntil ?? now
        guard phones[phone].isOnline, refusedUntil <= now else {
            return bring(sent, of: phone, .failure("no connection"), after: .milliseconds(20))
        }
        let fault = faults.first(of: Simulation.faultsOfCalls, &phones[phone].air)
        if let fault { note(phone, "  … with \(fault.rawValue)") }
        switch fault {
        case .outage:
            let seconds = Int64.random(in: 5...1200, using: &phones[phone].air)
            phones[phone].refusedUntil = now + .seconds(seconds)
            bring(sent, of: phone, .failure("connection refused"), after: .milliseconds(50))
        case .requestLost: bring(sent, of: phone, .failure("no answer"), after: Simulation.patience)
        default: agenda.add(.arrive(phone, sent, fault), at: now + delay(of: phone))
        }
    }

    private mutating func takeDown(_ call: SyncCall, of phone: Int) -> SentCall {
        guard let installation = phones[phone].core.stored.installation else {
            preconditionFailure("a core registers its installation first")
        }
        if phones[phone].call != nil {
            complain(phone, "two calls at once", "one call at a time", words(call, of: phone))
        }
        phones[phone].callCount += 1
        phones[phone].call = phones[phone].callCount
        let head = phones[phone].core.stored.outbox.head
        var marks: Set<Int64> = []
        if case .mark(let mark, let targets) = call {
            let messages = Set(targets.map(\.id))
            marks = Set(
                head.marks.filter { $0.mark == mark && messages.contains($0.message) }.map(\.number))
        }
        return SentCall(
            number: phones[phone].callCount, call: call, installation: installation,
            person: head.login.person, marks: marks, left: now)
    }

    private func takesForDone(_ call: SyncCall) -> Bool {
        switch call {
        case .mark: flaw == .believesMarks
        case .logIn: flaw == .believesLogins
        case .register, .list, .changes: false
        }
    }

    mutating func delay(of phone: Int) -> Duration {
        .milliseconds(Int64.random(in: 20...300, using: &phones[phone].air))
    }

    private mutating func bring(
        _ call: SentCall, of phone: Int, _ end: CallEnd, after delay: Duration
    ) {
        agenda.add(.answer(phone, call, end), at: now + delay)
    }

    /// A call arrives at the server, or at what stands before it.
    mutating func arrive(_ call: SentCall, of phone: Int, _ fault: NetworkFault?) {
        let delay = delay(of: phone)
        switch fault {
        case .unavailable:
            var response = Response(status: 503)
            let seconds = Int.random(in: 0...60, using: &phones[phone].air)
            if seconds > 10 { response.headers.add("Retry-After", String(seconds)) }
            return bring(call, of: phone, .response(response), after: delay)
        case .brokenBefore: return bring(call, of: phone, .response(Response(status: 500)), after: delay)
        case .strangersPage:
            let page = Response(
                status: 200, headers: ["Content-Type": "text/html"], body: Array("<h1>Welcome".utf8))
            return bring(call, of: phone, .response(page), after: delay)
        default: break
        }
        var response = serve(call, of: phone)
        if fault == .repeated { _ = serve(call, of: phone) }
        if fault == .repeatedForSecond { response = serve(call, of: phone) }
        finish(call, of: phone, response, fault)
    }

    /// What the server has answered goes its way back.
    private mutating func finish(
        _ call: SentCall, of phone: Int, _ response: Response, _ fault: NetworkFault?
    ) {
        let rest = Duration.microseconds(max(0, (call.left + Simulation.patience).rawValue - now.rawValue))
        switch fault {
        case .brokenAfter:
            bring(call, of: phone, .response(Response(status: 500)), after: delay(of: phone))
        case .truncated:
            var cut = response
            cut.body.removeLast((cut.body.count + 1) / 2)
            bring(call, of: phone, .response(cut), after: delay(of: phone))
        case .answerLost: bring(call, of: phone, .failure("no answer"), after: rest)
        case .answerLate:
            bring(call, of: phone, .failure("no answer"), after: rest)
            let late = Int64.random(in: 1...300, using: &phones[phone].air)
            bring(call, of: phone, .response(response), after: rest + .seconds(late))
        default: bring(call, of: phone, .response(response), after: delay(of: phone))
        }
    }

    /// An answer, or the end of the wait for one, comes to a device, which may have given the call up.
    mutating func deliver(_ end: CallEnd, to phone: Int, for call: SentCall) {
        guard phones[phone].isRunning else { return }
        if phones[phone].call != call.number {
            guard flaw == .takesLateAnswers, phones[phone].call != nil else { return }
        }
        phones[phone].call = nil
        var end = end
        if !phones[phone].isOnline, takesForDone(call.call) == false { end = .failure("no connection") }
        switch end {
        case .failure(let text):
            if phones[phone].isOnline { note(phone, "hears: \(text)") }
            tell(phone, .answered(.failed(SyncProblem(.unreachable, text)), serverTime: nil))
        case .response(let response):
            note(phone, "hears: \(response.status)")
            chronicle.fold(response.status)
            chronicle.fold(response.body.count)
            let app = phones[phone].plan.app
            var outcome = apps[app].wire(of: phones[phone]).outcome(
                of: call.call, response)
            if takesForDone(call.call) { outcome = .done }
            if response.serverTime != nil { phones[phone].memory.clockError = error(of: call) }
            tell(phone, .answered(confused(outcome, of: phone), serverTime: response.serverTime))
        }
    }

    /// How far the time that an answer tells may be behind: a whole second, its way, and what a core lets pass.
    private func error(of call: SentCall) -> Duration {
        .microseconds(now.rawValue - call.left.rawValue) + .seconds(4)
    }

    /// The outcome, or for a device with that flaw an older page.
    private mutating func confused(_ outcome: SyncOutcome, of phone: Int) -> SyncOutcome {
        guard flaw == .takesOldPages, case .page = outcome else { return outcome }
        phones[phone].pages.append(outcome)
        guard phones[phone].pages.count > 2, phones[phone].own(1, outOf: 4) else { return outcome }
        return phones[phone].pages[phones[phone].pages.count - 2]
    }
}
