import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// The server, and what is learnt from what it does.
extension Simulation {
    /// A server that keeps the rules.
    var truth: ModelServer { honest ?? server }

    /// Answers a request now, and tells those who watch what changed.
    mutating func answer(_ request: Request) -> Response {
        server.now = now
        let response = server.answer(request)
        if honest != nil {
            honest?.now = now
            _ = honest?.answer(request)
        }
        chronicle.fold(request.target)
        chronicle.fold(response.status)
        return response
    }

    /// Serves a call of a device.
    mutating func serve(_ call: SentCall, of phone: Int) -> Response {
        let app = phones[phone].plan.app
        let request = apps[app].wire(of: phones[phone]).request(for: call.call, as: call.installation)
        let user = user(of: call)
        let person = person(of: user)
        forgetUnseen(call, of: phone, user)
        var response = answer(request)
        let date = Simulation.httpDate(now)
        response.headers.add("Date", date)
        let status = response.status
        note(phone) { "  is answered \(status): \($0.words(call.call, of: phone))" }
        let isCurrent = phones[phone].kept.installation?.channel == call.installation.channel
        switch call.call {
        case .register: break
        case .logIn:
            if isCurrent, response.status < 500 { phones[phone].memory.isTouched = false }
        case .mark:
            if response.status == 200 { phones[phone].memory.tell(call.marks) }
        case .list, .changes: if isCurrent { learnList(call, of: phone, user) }
        }
        if isCurrent { judgePerson(person, call, of: phone) }
        switch call.call {
        case .register, .list, .changes: break
        case .logIn, .mark: spreadHints(isBroadcast: false)
        }
        return response
    }

    private func user(of call: SentCall) -> UserID? {
        call.installation.credential.flatMap { UserID(text: Array($0.user.utf8)[...]) }
    }

    /// Who is logged in for a credential.
    func person(of user: UserID?) -> NamedUserID? {
        user.flatMap { user in truth.apps[user.app]?.model.ownership(of: user)?.person }
    }

    /// What the view of whoever is logged in at the server does not hold, such as behind its filter, stays as it is.
    private mutating func forgetUnseen(_ call: SentCall, of phone: Int, _ user: UserID?) {
        guard case .mark(_, let targets) = call.call, let user else { return }
        let isSame = person(of: user) == call.person
        let held = isSame ? Set(heldView(of: user).map(\.message)) : []
        phones[phone].memory.forget(Set(targets.map(\.id)).subtracting(held))
    }

    private func heldView(of user: UserID) -> [ReferenceInbox.Listed] {
        var truth = truth
        truth.setTime(now)
        return truth.view(of: user)
    }

    private mutating func learnList(_ call: SentCall, of phone: Int, _ user: UserID?) {
        guard let user else { return }
        let rows = truth.view(of: user)
        // Of another person, whom a backend has logged in unheard: what was marked here was not marked there.
        if person(of: user) != call.person { phones[phone].memory.forget(Set(rows.map(\.message))) }
        for row in rows {
            phones[phone].memory.serve(row.message, isPersons: row.place == .person, to: call.person)
        }
    }

    /// What a device says or asks for one person must not be done for another.
    private mutating func judgePerson(_ person: NamedUserID?, _ call: SentCall, of phone: Int) {
        switch call.call {
        case .register, .logIn: return
        case .mark, .list, .changes: break
        }
        guard person != call.person, !phones[phone].memory.isTouched, !phones[phone].memory.isUninstalled
        else { return }
        complain(
            phone, "\(words(call.call, of: phone)) for another person than is logged in at the server",
            call.person?.text ?? "nobody", person?.text ?? "nobody")
    }

    /// A backend's request: devices on which it changes who is logged in cannot know that.
    @discardableResult
    mutating func answerBackend(_ request: Request, isBroadcast: Bool = false) -> Response {
        let before = phones.map { person(of: $0.user) }
        let response = answer(request)
        for phone in phones.indices where person(of: phones[phone].user) != before[phone] {
            phones[phone].memory.isTouched = true
            phones[phone].memory.wasTouched = true
        }
        spreadHints(isBroadcast: isBroadcast)
        return response
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; nobody reads the day of the week.
    private static func httpDate(_ now: Instant) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = CalendarTime(now)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "Sun, \(two(time.day)) \(months[Int(time.month) - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }
}
