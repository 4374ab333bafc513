import HTTPCore
import InboxClient
import InboxModel
import Platform

/// What answers must hold.
extension FleetRun {
    /// A message as all devices of an app share it; what is seen for the first time is held against what was sent.
    func share(_ row: MessageRow, in app: Int, _ device: Int) -> MessageRow {
        if let known = apps[app].contents[row.id] {
            if known != row.content {
                wrong(
                    .content, device, "list", message: apps[app].numbers[row.id], "it is another than before")
            }
            return MessageRow(known, isUnread: row.isUnread, place: row.place)
        }
        apps[app].contents[row.id] = row.content
        let extra = row.content.extra
        guard let serial = apps[app].composition.serial(in: extra) else {
            let isOthers = apps.contains { $0.composition.serial(in: extra) != nil }
            wrong(isOthers ? .leaked : .unknown, device, "list", "id \(row.id.text), \(row.content.title)")
            return row
        }
        switch apps[app].ledger.identify(serial, as: row.id) {
        case .failure(.unknown): wrong(.unknown, device, "list", "id \(row.id.text)")
        case .failure(.sentTwice):
            wrong(.sentTwice, device, "list", message: serial, "also as id \(row.id.text)")
        case .success(let number):
            apps[app].numbers[row.id] = number
            if let detail = wrongContent(row.content, number, apps[app]) {
                wrong(.content, device, "list", message: number, detail)
            }
        }
        return row
    }

    private func wrongContent(_ content: MessageContent, _ number: Int, _ app: FleetApp) -> String? {
        let (sent, composition) = (app.ledger.messages[number], app.composition)
        if content.title != composition.title(number) { return "title \(content.title)" }
        if content.extra != composition.extra(number, naming: sent.named) { return "extra \(content.extra)" }
        if content.contentType != "text/html" { return "content type \(content.contentType)" }
        if content.bodyBytes != composition.body(number).utf8.count { return "body bytes" }
        guard let life = sent.lifeSeconds else { return nil }
        guard let expires = content.expires, expires.milliseconds - content.sent.milliseconds == life * 1000
        else {
            return "expiry is not \(life) s after it was sent"
        }
        return nil
    }

    /// What rows are by the numbers of their messages; those that nobody sent are told of already.
    func listed(_ rows: [MessageRow], in app: Int) -> [Listed] {
        rows.compactMap { row in apps[app].numbers[row.id].map { Listed($0, isUnread: row.isUnread) } }
    }

    /// Holds what the server told a device, all in all, against what it must.
    ///
    /// - Parameter told: the messages that the answer told of; nothing if of all.
    func checkView(
        of device: Int, during span: Span, source: String, told: Set<Int>? = [], count: Int? = nil
    ) {
        let (app, local) = (devices[device].app, devices[device].local)
        guard case .person(let person) = devices[device].core.stored.confirmed,
            let view = devices[device].core.stored.view(of: person)
        else { return }
        checked += 1
        devices[device].isLost = false
        let list = listed(view.rows, in: app)
        take(list, device, at: span.end)
        let differences = apps[app].ledger.check(list, of: local, during: span, source: source)
        note(numbered(differences.map { $0.blamed(on: told) }, device))
        if let count, count != list.count(where: \.isUnread) {
            wrong(.count, device, source, "\(count) for \(list.count(where: \.isUnread)) unread messages")
        }
        devices[device].seen = span
    }

    /// Differences of an app's device under the device's number in the run.
    func numbered(_ differences: [Difference], _ device: Int) -> [Difference] {
        differences.map { difference in
            Difference(
                difference.kind, device: device, message: difference.message,
                in: (difference.source, difference.milliseconds), detail: difference.detail)
        }
    }

    /// Counts what a device got to know since it was last looked at, and how long that took.
    private func take(_ list: [Listed], _ device: Int, at end: Moment) {
        let (app, local, now) = (devices[device].app, devices[device].local, clock.now())
        let old = devices[device].list
        guard old != list else { return }
        devices[device].list = list
        let known = Dictionary(old.map { ($0.message, $0.isUnread) }) { first, _ in first }
        let person = apps[app].ledger.person(on: local)
        var left = Set(known.keys)
        let isFew = list.count <= old.count + FleetTrace.few
        for item in list {
            left.remove(item.message)
            guard let wasUnread = known[item.message] else {
                arrived(item.message, app, at: end)
                if isFew { trace.note(.shows, item.message, of: device, at: elapsed) }
                continue
            }
            if wasUnread != item.isUnread { changed(item.message, person, device, at: now) }
        }
        for message in left { changed(message, person, device, at: now) }
        trace.note(.showsNoMore, Array(left), of: device, at: elapsed)
    }

    private func arrived(_ number: Int, _ app: Int, at end: Moment) {
        let sent = apps[app].ledger.messages[number]
        guard sent.lifeSeconds == nil else { return }
        let lag = sent.known.map { Duration.milliseconds(max(0, end.milliseconds + end.clock.most - $0)) }
        recorder.received(after: lag, at: loadTimeNow)
    }

    /// Another device of the person may have made it so.
    private func changed(_ number: Int, _ person: Int?, _ device: Int, at now: Duration) {
        let (app, local) = (devices[device].app, devices[device].local)
        guard let person, let lag = apps[app].changes.lag(of: number, of: person, on: local, at: now) else {
            return
        }
        recorder.learned(after: lag, at: loadTimeNow)
    }
}
