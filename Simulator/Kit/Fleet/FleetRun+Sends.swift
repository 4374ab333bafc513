import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform

/// What backends send and take back.
extension FleetRun {
    /// Backends at a time, so that slow answers do not soon slow the sending.
    var senders: Int { LoadOptions.senders(rate: options.sendRate) }

    /// Sends until the load ends: what is due is counted from when the last was due.
    func keepSending(_ sender: Int) async {
        var random = SeededRandom.part(-2 - sender, of: options.seed)
        let mean = Duration.seconds(Double(senders) / options.sendRate)
        var due = clock.now()
        while true {
            due += random.pause(mean: mean)
            guard due < loadEnd, await waits(until: due) else { return }
            let app = Int.random(in: 0..<apps.count, using: &random)
            guard let draft = draft(in: app, &random) else { continue }
            await send(draft, in: app, &random)
            if random.chance(options.profile.recalled) { await recallOne(in: app, &random) }
        }
    }

    /// After each broadcast everybody refreshes at once.
    func keepHerding() async {
        guard options.profile.herdSeconds > 0 else { return }
        var random = SeededRandom.part(-1000, of: options.seed)
        var due = clock.now() + .seconds(options.profile.herdSeconds / 2)
        while due < loadEnd, await waits(until: due) {
            for app in apps.indices { await send(Draft(target: .everyone), in: app, &random) }
            for device in devices.indices where devices[device].stands {
                agenda.add(DueMatter(device: Int32(device), kind: .herd), at: clock.now())
            }
            due += .seconds(options.profile.herdSeconds)
        }
    }

    /// Sleeps until a time of the load; false if the run is over before.
    private func waits(until due: Duration) async -> Bool {
        while clock.now() < due {
            if isServerAway || isInterrupted { return false }
            do { try await clock.sleep(for: min(due - clock.now(), .milliseconds(200))) } catch {
                return false
            }
        }
        while isHeld {
            do { try await clock.sleep(for: .milliseconds(10)) } catch { return false }
        }
        return !isServerAway && !isInterrupted
    }

    private struct Draft {
        var target: Target
        var named: Int?
        var lifeSeconds: Int64?
    }

    private func draft(in app: Int, _ random: inout SeededRandom) -> Draft? {
        let space = apps[app]
        guard let target = space.mix.target(space.ledger, using: &random) else { return nil }
        var draft = Draft(target: target)
        draft.lifeSeconds = space.mix.lifeSeconds(using: &random)
        if random.chance(options.profile.naming) {
            draft.named = Int.random(in: 0..<space.people, using: &random)
        }
        return draft
    }

    /// Sends a message until it is answered, which its key allows.
    private func send(_ draft: Draft, in app: Int, _ random: inout SeededRandom) async {
        sending += 1
        defer { sending -= 1 }
        let number = apps[app].ledger.willSend(
            to: draft.target, naming: draft.named, lifeSeconds: draft.lifeSeconds, at: moment(app))
        let request = message(number, draft, in: app)
        var attempts = 0
        while !isServerAway, !isInterrupted {
            let base = ground.bases[(number + attempts) % ground.bases.count]
            if case .success(let response) = await exchange(.send, request, to: base) {
                return take(response, of: number, draft, in: app)
            }
            attempts += 1
            // At the end of the load its outcome stays open; it shows when a device lists it.
            guard clock.now() < loadEnd + options.rideOut else { return }
            do { try await clock.sleep(for: random.backOff(after: attempts)) } catch { return }
        }
    }

    private func message(_ number: Int, _ draft: Draft, in app: Int) -> Request {
        let (composition, space) = (apps[app].composition, apps[app])
        let channel = if case .device(let local) = draft.target { channel(of: local, in: app) } else { "" }
        var request = space.calls.request(.post, "/v1/messages", as: space.calls.backend) { body in
            body.name("audience")
            switch draft.target {
            case .everyone: body.value("all")
            case .device: body.object { $0.member("channel", channel) }
            case .person(let person): body.object { $0.member("named_user", composition.person(person)) }
            case .tag(let tag): body.object { $0.member("tag", composition.tag(tag)) }
            }
            body.object("message") { message in
                message.member("title", composition.title(number))
                message.member("body", composition.body(number))
                message.member("content_type", "text/html")
                message.member("extra", composition.extra(number, naming: draft.named))
                if let life = draft.lifeSeconds { message.member("expiry", Int(life)) }
            }
        }
        request.headers.add("Idempotency-Key", "\(composition.run)-\(number)")
        return request
    }

    private func channel(of local: Int, in app: Int) -> String {
        devices[apps[app].devices.lowerBound + local].core.stored.installation?.channel.text ?? ""
    }

    private func take(_ response: Response, of number: Int, _ draft: Draft, in app: Int) {
        let now = moment(app)
        guard response.status == 202, let json = try? response.json(202),
            let text = try? json.string("message_id"), let id = MessageID(text: text.utf8),
            let state = try? json.string("state")
        else {
            apps[app].ledger.didRefuse(number)
            return refused("POST /v1/messages", response.words)
        }
        apps[app].answered.insert(number)
        if !apps[app].ledger.didSend(number, as: id, isGradual: state == "delivering", at: now) {
            found(
                Difference(.sentTwice, device: nil, message: number, in: ("send", elapsed.milliseconds)))
        }
        expectHints(ofSend: number, in: app)
        if draft.lifeSeconds == nil {
            recorder.expected(apps[app].ledger.audienceCount(of: number), at: loadTimeNow)
        }
        if let words = apps[app].ledger.misfit(of: try? json.number("recipients"), to: number) {
            refused("POST /v1/messages", words)
        }
    }

    private func refused(_ name: String, _ detail: String) {
        found(Difference(.refusal, device: nil, in: (name, elapsed.milliseconds), detail: detail))
    }

    private func recallOne(in app: Int, _ random: inout SeededRandom) async {
        if isHeld { return }
        sending += 1
        defer { sending -= 1 }
        guard let (number, id) = apps[app].ledger.nextRecall(using: &random) else { return }
        let start = moment(app)
        apps[app].ledger.willRecall(number, at: start)
        trace.note(.recalls, number, ofApp: app, at: elapsed)
        let base = ground.bases[number % ground.bases.count]
        guard case .success(let response) = await exchange(.recall, apps[app].calls.recall(id), to: base)
        else {
            return  // gone or not: either is right now
        }
        guard [200, 202, 204].contains(response.status) else { return refused("recall", response.words) }
        apps[app].ledger.didRecall(number, at: moment(app))
        expectHints(ofRecall: number, since: start, in: app)
        trace.note(.recallAnswered, number, ofApp: app, at: elapsed)
        apps[app].recalled = apps[app].recalled.suffix(FleetApp.recalledKept - 1) + [id]
    }
}
