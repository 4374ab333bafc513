import ClientCore
import HTTPCore
import InboxClient
import InboxModel
import InboxWire
import Platform

/// Questions beside what cores ask: lists, pages, counts and single messages, each checked.
extension FleetRun {
    func perform(_ look: Glance, _ device: Int) async {
        guard let credential = devices[device].core.stored.installation?.credential else { return }
        let authorization = credential.authorization
        switch look {
        case .count: await count(device, authorization)
        case .list: await list(device, authorization)
        case .pages(let size): await pages(device, authorization, of: size)
        case .one(let message, let part): await open(message, part, device, authorization)
        case .foreign(let message, let part, let isOfApp):
            await openForeign(message, part, device, authorization, isOfApp: isOfApp)
        }
    }

    /// Asks, and says when: nothing if no answer came.
    func ask(
        _ kind: Call, _ target: String, _ device: Int, _ headers: Headers
    ) async -> (Response, Span)? {
        let app = devices[device].app
        let start = moment(app)
        let sent = await exchange(kind, Request(.get, target, headers: headers), device)
        guard case .success(let response) = sent else { return nil }
        guard response.status != 401 else {
            if !wasReturned { wrong(.refusal, device, kind.rawValue, "401") }
            return nil
        }
        return (response, Span(start: start, end: moment(app)))
    }

    private func count(_ device: Int, _ authorization: String) async {
        let headers: Headers = ["Authorization": authorization]
        guard let (response, span) = await ask(.count, "/v1/inbox/unread-count", device, headers) else {
            return
        }
        guard response.status == 200, let count = try? response.json().number("unread_count") else {
            return wrong(.refusal, device, "count", response.words)
        }
        checked += 1
        checkCount(count, device, during: span, source: "count")
    }

    private func checkCount(_ count: Int, _ device: Int, during span: Span, source: String) {
        let bounds = apps[devices[device].app].ledger.unreadCount(on: devices[device].local, during: span)
        guard !bounds.contains(count) else { return }
        wrong(.count, device, source, "\(count), not \(bounds.lowerBound) to \(bounds.upperBound)")
    }

    private func list(_ device: Int, _ authorization: String) async {
        var headers: Headers = ["Authorization": authorization]
        let kept = devices[device].kept
        if let kept { headers.add("If-None-Match", kept.tag) }
        guard let (response, span) = await ask(.list, "/v1/inbox", device, headers) else { return }
        let (app, local) = (devices[device].app, devices[device].local)
        if response.status == 304, let kept {
            checked += 1
            let differences = apps[app].ledger.check(kept.list, of: local, during: span, source: "304")
            return note(numbered(differences.map { $0.blamed(on: []) }, device))
        }
        guard response.status == 200 else { return wrong(.refusal, device, "list", response.words) }
        do {
            let page = try readers[app].list(response) { share($0, in: app, device) }
            let list = listed(page.changed, in: app)
            checked += 1
            let told: Set<Int>? = devices[device].knows(page.validator) ? [] : nil
            let differences = apps[app].ledger.check(list, of: local, during: span, source: "list")
            note(numbered(differences.map { $0.blamed(on: told) }, device))
            checkOrder(page.changed, device, "list")
            if page.unreadCount != page.changed.count(where: \.isUnread) {
                wrong(.count, device, "list", "\(page.unreadCount ?? -1) beside the list")
            }
            guard let tag = page.validator else { return wrong(.validator, device, "list", "no ETag") }
            if let kept, kept.tag == tag, kept.list != list {
                wrong(.validator, device, "list", "another list under the same ETag")
            }
            devices[device].kept = (tag, list)
        } catch {
            wrong(.form, device, "list", error.text)
        }
    }

    private func checkOrder(_ rows: [MessageRow], _ device: Int, _ source: String) {
        for (one, next) in zip(rows, rows.dropFirst())
        where !MessageContent.precedes(one.content, next.content) {
            wrong(.order, device, source, message: apps[devices[device].app].numbers[next.id])
        }
    }

    /// All pages together show what was there all the time, and nothing twice.
    private func pages(_ device: Int, _ authorization: String, of size: Int) async {
        let headers: Headers = ["Authorization": authorization]
        let (app, local) = (devices[device].app, devices[device].local)
        var (rows, next, start): ([MessageRow], String?, Moment?) = ([], nil, nil)
        for _ in 0..<1000 {
            let before = next
            let target = "/v1/inbox?limit=\(size)" + (before.map { "&before=\($0)" } ?? "")
            guard let (response, span) = await ask(.page, target, device, headers) else { return }
            start = start ?? span.start
            guard response.status == 200 else { return wrong(.refusal, device, "page", response.words) }
            do {
                let part = try readers[app].part(response) { share($0, in: app, device) }
                if part.rows.count > size || (part.rows.count < size && part.next != nil) {
                    wrong(.missing, device, "page", "\(part.rows.count) messages on a page of \(size)")
                }
                checkCount(part.unreadCount, device, during: span, source: "page")
                if let next = part.next, next == before {
                    return wrong(.form, device, "page", "the next page is the same one")
                }
                (rows, next) = (rows + part.rows, part.next)
            } catch { return wrong(.form, device, "page", error.text) }
            guard next == nil, let start else { continue }
            let whole = Span(start: start, end: span.end)
            checkOrder(rows, device, "pages")
            checked += 1
            note(
                numbered(
                    apps[app].ledger.check(listed(rows, in: app), of: local, during: whole, source: "pages"),
                    device))
            return
        }
        wrong(.form, device, "page", "there are pages without an end")
    }
}
