import ClientCore
import InboxClient
import InboxModel
import Platform
import ReferenceInbox

/// An event stream that the server has open.
struct SimulatedStream: Sendable {
    let phone: Int
    let number: Int
    let user: UserID
    let person: NamedUserID?
    /// The view when the stream last spoke of it.
    var rows: [ReferenceInbox.Listed]
}

/// Event streams as docs/streams.md says, over a network that loses, delays and repeats hints.
extension Simulation {
    mutating func askForStream(of phone: Int) {
        phones[phone].streamCount += 1
        let number = phones[phone].streamCount
        phones[phone].stream = number
        note(phone, "opens stream \(number)")
        guard phones[phone].isOnline, (phones[phone].refusedUntil ?? now) <= now else {
            return agenda.add(
                .news(phone, stream: number, .lost(retryAfter: nil)), at: now + .milliseconds(20))
        }
        if faults.happens(.streamRefused, &phones[phone].air) {
            let retryAfter: Duration? = phones[phone].air.chance(1, outOf: 2) ? .seconds(20) : nil
            return agenda.add(
                .news(phone, stream: number, .lost(retryAfter: retryAfter)), at: now + delay(of: phone))
        }
        agenda.add(.streamOpens(phone, stream: number), at: now + delay(of: phone))
    }

    mutating func closeStream(of phone: Int) {
        note(phone, "closes its stream")
        phones[phone].stream = nil
        streams.removeAll { $0.phone == phone }
    }

    /// A request for a stream arrives at the server.
    mutating func openStream(_ number: Int, of phone: Int) {
        guard phones[phone].stream == number else { return }
        guard let user = phones[phone].user, let app = server.apps[user.app],
            let ownership = app.model.ownership(of: user)
        else {
            let news = StreamNews.ended(reason: "credentials", mayReturn: false)
            return agenda.add(.news(phone, stream: number, news), at: now + delay(of: phone))
        }
        streams.append(
            SimulatedStream(
                phone: phone, number: number, user: user, person: ownership.person,
                rows: server.view(of: user)))
        agenda.add(.news(phone, stream: number, .ready), at: now + delay(of: phone))
        agenda.add(.sign(phone, stream: number), at: now + .seconds(15))
    }

    /// A comment, each 15 seconds; or this is when the stream breaks.
    mutating func giveSign(on number: Int, of phone: Int) {
        guard let place = streams.firstIndex(where: { $0.phone == phone && $0.number == number }) else {
            return
        }
        switch faults.first(of: [.streamSilent, .streamLost], &phones[phone].air) {
        case .streamSilent:
            note(phone, "  its stream goes silent")
            streams.remove(at: place)
        case .some:
            streams.remove(at: place)
            let isOrderly = phones[phone].air.chance(1, outOf: 2)
            let news: StreamNews =
                isOrderly ? .ended(reason: "draining", mayReturn: true) : .lost(retryAfter: nil)
            agenda.add(.news(phone, stream: number, news), at: now + delay(of: phone))
        case nil:
            agenda.add(.news(phone, stream: number, .heard), at: now + delay(of: phone))
            agenda.add(.sign(phone, stream: number), at: now + .seconds(15))
        }
    }

    /// Tells the streams whose view is another than the one that they last spoke of.
    mutating func spreadHints(isBroadcast: Bool) {
        guard !streams.isEmpty else { return }
        server.setTime(now)
        var open: [SimulatedStream] = []
        for var stream in streams {
            if let end = end(of: stream) {
                agenda.add(
                    .news(stream.phone, stream: stream.number, end), at: now + delay(of: stream.phone))
                continue
            }
            let rows = server.view(of: stream.user)
            if rows != stream.rows { hint(stream, within: isBroadcast ? .seconds(20) : nil) }
            stream.rows = rows
            open.append(stream)
        }
        streams = open
    }

    private func end(of stream: SimulatedStream) -> StreamNews? {
        guard let ownership = server.apps[stream.user.app]?.model.ownership(of: stream.user) else {
            return .ended(reason: "credentials", mayReturn: false)
        }
        guard ownership.person != stream.person else { return nil }
        return .ended(reason: ownership.person == nil ? "logged_out" : "person_changed", mayReturn: true)
    }

    private mutating func hint(_ stream: SimulatedStream, within: Duration?) {
        let phone = stream.phone
        if faults.happens(.hintLost, &phones[phone].air) { return }
        var delay = delay(of: phone)
        if faults.happens(.hintLate, &phones[phone].air) {
            delay += .seconds(Int64.random(in: 1...60, using: &phones[phone].air))
        }
        agenda.add(.news(phone, stream: stream.number, .changed(within: within)), at: now + delay)
        if faults.happens(.hintTwice, &phones[phone].air) {
            agenda.add(
                .news(phone, stream: stream.number, .changed(within: within)), at: now + delay + delay)
        }
    }

    /// News come to a device, which may have given the stream up.
    mutating func deliver(_ news: StreamNews, to phone: Int, on number: Int) {
        guard phones[phone].stream == number, phones[phone].isRunning else { return }
        if !phones[phone].isOnline, news != .lost(retryAfter: nil) { return }
        chronicle.fold(number)
        switch news {
        case .ended, .lost:
            phones[phone].stream = nil
            streams.removeAll { $0.phone == phone }
        case .ready, .changed, .heard: break
        }
        if news != .heard { note(phone, "hears on its stream: \(news)") }
        tell(phone, .stream(news))
    }
}

extension ModelServer {
    /// Sets the time of all models, as a request would.
    mutating func setTime(_ now: Instant) {
        self.now = now
        for app in apps.keys { apps[app]?.model.now = now }
    }
}
