import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import Platform

/// Calls of cores: told to the ledger before and after, measured, and their answers checked.
extension FleetRun {
    func perform(_ call: SyncCall, _ device: Int) async {
        let app = devices[device].app
        guard let installation = devices[device].core.stored.installation else { return }
        if case .logIn(let login) = call, apps[app].isVerified, login.person != nil {
            guard await associate(login, installation, device) else {
                return answer(
                    call, .failed(SyncProblem(.unreachable, "the backend got no answer")), nil, device)
            }
        }
        let start = moment(app)
        will(call, device, at: start)
        let wire = wire(of: device)
        let sent = await exchange(Call(call), wire.request(for: call, as: installation), device)
        let span = Span(start: start, end: moment(app))
        switch sent {
        case .failure(let problem): answer(call, .failed(problem), span, device)
        case .success(let response):
            answer(call, outcome(of: call, response, wire, device), span, device, response.serverTime)
        }
    }

    /// Sends a request of a device once and counts what comes of it.
    func exchange(_ kind: Call, _ request: Request, _ device: Int) async -> Result<Response, SyncProblem> {
        devices[device].askedAt = elapsed
        return await exchange(kind, request, to: anyBase(device))
    }

    /// The same of a backend.
    func exchange(_ kind: Call, _ request: Request, to base: BaseURL) async -> Result<Response, SyncProblem> {
        if isServerAway { return .failure(SyncProblem(.unreachable, "the run is over")) }
        let (sent, look) = (clock.now(), hintWatch?.look ?? 0)
        let response: Response
        do {
            response = try await ground.transport.send(request, to: base)
        } catch {
            recorder.request(kind, .failure("\(error)"), after: clock.now() - sent, at: loadTimeNow)
            lost()
            return .failure(SyncProblem(.unreachable, "\(error)"))
        }
        recorder.request(kind, .status(response.status), after: clock.now() - sent, at: loadTimeNow)
        guard response.status < 500, response.status != 429 else {
            if response.status >= 500 { lost() }
            return .failure(SyncProblem(response))
        }
        outage.ended(at: clock.now())
        if let server = number(of: base) { hintWatch?.answered(by: server, askedAt: look) }
        return .success(response)
    }

    /// Which of the servers it is: nearly always the only one.
    private func number(of base: BaseURL) -> Int? {
        ground.bases.count == 1 ? 0 : ground.bases.firstIndex(of: base)
    }

    private func lost() {
        unanswered += 1
        hintWatch?.excuseAll()
        if outage.failed(at: clock.now(), limit: options.rideOut) { isServerAway = true }
    }

    func wire(of device: Int) -> MartletWire {
        let app = apps[devices[device].app]
        var end = WireEnd(app.credential, at: base(of: device), over: ground.transport)
        let local = devices[device].local
        end.profile.deviceType = local.isMultiple(of: 2) ? "ios" : "android"
        end.profile.tags = [app.composition.tag(local % app.tags)]
        return MartletWire(end)
    }

    // MARK: What the ledger is told

    private func will(_ call: SyncCall, _ device: Int, at start: Moment) {
        let (app, local) = (devices[device].app, devices[device].local)
        switch call {
        case .register:
            apps[app].ledger.willRegister(local, at: start)
            trace.note(.registers, 0, of: device, at: elapsed)
        case .logIn(let login):
            let person = apps[app].number(of: login.person)
            apps[app].ledger.willChangeLogin(of: local, to: person, at: start)
            trace.note(person == nil ? .logsOut : .logsIn, person ?? 0, of: device, at: elapsed)
        case .mark(let mark, let targets):
            let numbers = targets.compactMap { apps[app].numbers[$0.id] }
            devices[device].ticket = apps[app].ledger.willMark(
                Mark(mark), numbers, by: local, at: start)
            trace.note(TraceDeed(Mark(mark)), numbers, of: device, at: elapsed)
        case .list, .changes: break
        }
    }

    private func did(_ call: SyncCall, _ device: Int, during span: Span) {
        let end = span.end
        let (app, local) = (devices[device].app, devices[device].local)
        switch call {
        case .register:
            apps[app].ledger.didRegister(local, at: end)
            devices[device].stands = true
            trace.note(.registrationAnswered, 0, of: device, at: elapsed)
        case .logIn(let login):
            trace.note(.loginAnswered, 0, of: device, at: elapsed)
            apps[app].ledger.didChangeLogin(of: local, to: apps[app].number(of: login.person), at: end)
        case .mark(_, let targets):
            guard let ticket = devices[device].ticket else { return }
            apps[app].ledger.didMark(ticket, at: end)
            trace.note(.markAnswered, ticket.messages, of: device, at: elapsed)
            expectHints(of: ticket, since: span.start, in: app)
            guard let person = ticket.person else { return }
            for target in targets {
                guard let number = apps[app].numbers[target.id] else { continue }
                apps[app].changes.note(number, of: person, by: local, at: clock.now())
            }
        case .list, .changes: break
        }
    }

    /// A backend logs the channel in first, where a device's word does not suffice.
    private func associate(_ login: Login, _ installation: Installation, _ device: Int) async -> Bool {
        let app = devices[device].app
        let start = moment(app)
        apps[app].ledger.willChangeLogin(
            of: devices[device].local, to: apps[app].number(of: login.person), at: start)
        let request = apps[app].calls.associate(installation.channel, with: login.person)
        switch await exchange(.login, request, device) {
        case .failure: return false
        case .success(let response):
            // A channel that came after the dump is unknown: so is its device, which is told next.
            if wasReturned, response.status == 404 { return true }
            if response.status != 200 { wrong(.refusal, device, "associate", "\(response.status)") }
            return response.status == 200
        }
    }

    // MARK: Answers

    private func outcome(
        of call: SyncCall, _ response: Response, _ wire: MartletWire, _ device: Int
    ) -> SyncOutcome {
        guard call.isRefresh, response.status == 200 else { return wire.outcome(of: call, response) }
        let app = devices[device].app
        do {
            let page =
                if case .list = call {
                    try readers[app].list(response) { share($0, in: app, device) }
                } else {
                    try readers[app].changes(response) { share($0, in: app, device) }
                }
            return .page(page)
        } catch {
            wrong(.form, device, Call(call).rawValue, error.text)
            return .failed(SyncProblem(.unreadable, error.text))
        }
    }

    private func answer(
        _ call: SyncCall, _ outcome: SyncOutcome, _ span: Span?, _ device: Int, _ time: Instant? = nil
    ) {
        switch outcome {
        case .registered, .done: if let span { did(call, device, during: span) }
        case .failed(let problem):
            blame(problem, call, device)
            if case .logIn = call { devices[device].loginDoubt = clock.now() + FleetRun.longestDoubt }
        case .page, .unchanged: break
        }
        handle(.answered(outcome, serverTime: time), device)
        if let span, call.isRefresh { check(outcome, span, Call(call).rawValue, device) }
        goOn(device)
    }

    /// Checks what a core holds after a refresh.
    private func check(_ outcome: SyncOutcome, _ span: Span, _ source: String, _ device: Int) {
        switch outcome {
        case .page(let page):
            guard !page.hasMore else { return }
            checkView(
                of: device, during: span, source: source, told: told(by: page, device),
                count: page.unreadCount)
        case .unchanged: checkView(of: device, during: span, source: "304")
        case .registered, .done, .failed: break
        }
    }

    /// Longer than any server stands still with a request in its hands.
    private static let longestDoubt = Duration.seconds(15)

    /// The numbers of the messages that an answer told of; nothing if of all.
    private func told(by page: SyncPage, _ device: Int) -> Set<Int>? {
        if page.isWhole { return devices[device].knows(page.validator) ? [] : nil }
        let numbers = apps[devices[device].app].numbers
        return Set((page.changed.map(\.id) + page.removed).compactMap { numbers[$0] })
    }

    /// A refusal of what is right.
    private func blame(_ problem: SyncProblem, _ call: SyncCall, _ device: Int) {
        switch problem.kind {
        case .unreachable, .busy, .unreadable: break
        case .unauthorized where wasReturned: break
        case .unauthorized, .refused:
            wrong(.refusal, device, Call(call).rawValue, problem.text)
        }
    }
}

extension Call {
    init(_ call: SyncCall) {
        switch call {
        case .register: self = .channel
        case .logIn: self = .login
        case .mark(.read, _): self = .read
        case .mark(.unread, _): self = .unread
        case .mark(.delete, _): self = .delete
        case .list: self = .list
        case .changes: self = .changes
        }
    }
}

extension Mark {
    init(_ mark: MessageMark) {
        switch mark {
        case .read: self = .read
        case .unread: self = .unread
        case .delete: self = .delete
        }
    }
}
