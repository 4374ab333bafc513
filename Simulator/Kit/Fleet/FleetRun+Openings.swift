import HTTPCore
import InboxClient
import InboxModel
import InboxWire

/// Questions for one message: as the list shows it, or its body.
extension FleetRun {
    func open(
        _ message: MessageID, _ part: MessagePart, _ device: Int, _ authorization: String
    ) async {
        let headers: Headers = ["Authorization": authorization]
        let answer = await ask(part.call, part.path(of: message), device, headers)
        guard let (response, span) = answer, let number = apps[devices[device].app].numbers[message] else {
            return
        }
        checked += 1
        guard response.status == 200 else {
            return checkAbsence(of: number, response, device, during: span, source: part.call.rawValue)
        }
        switch part {
        case .row: checkRow(of: message, number, response, device, during: span)
        case .body: checkBody(of: number, response, device, during: span)
        }
    }

    private func checkAbsence(
        of number: Int, _ response: Response, _ device: Int, during span: Span, source: String
    ) {
        let (app, local) = (devices[device].app, devices[device].local)
        if apps[app].ledger.mustShow(number, on: local, during: span) {
            wrong(.missing, device, source, message: number, "answered \(response.status)")
        } else if ![404, 410].contains(response.status) {
            wrong(.refusal, device, source, message: number, response.words)
        }
    }

    private func checkRow(
        of message: MessageID, _ number: Int, _ response: Response, _ device: Int, during span: Span
    ) {
        let (app, local, source) = (devices[device].app, devices[device].local, Call.message.rawValue)
        do {
            let row = try readers[app].message(response) { share($0, in: app, device) }
            guard row.id == message else {
                return wrong(.content, device, source, message: number, "it is \(row.id.text)")
            }
            let item = Listed(number, isUnread: row.isUnread)
            let difference = apps[app].ledger.check(item, of: local, during: span, source: source)
            note(numbered([difference].compactMap(\.self), device))
        } catch {
            wrong(.form, device, source, message: number, error.text)
        }
    }

    private func checkBody(of number: Int, _ response: Response, _ device: Int, during span: Span) {
        let (app, local, source) = (devices[device].app, devices[device].local, Call.body.rawValue)
        let ledger = apps[app].ledger
        if let kind = ledger.absence(of: number, on: local, during: span) {
            wrong(kind, device, source, message: number, ledger.facts(about: number, on: local))
        } else if response.body != Array(apps[app].composition.body(number).utf8) {
            wrong(.body, device, source, message: number, "another text")
        } else if response.headers["Content-Type"]?.hasPrefix("text/html") != true {
            let type = response.headers["Content-Type"] ?? "none"
            wrong(.body, device, source, message: number, "content type \(type)")
        }
    }

    /// What is another's answers like what does not exist, and a mark of it changes nothing.
    func openForeign(
        _ message: MessageID, _ part: MessagePart, _ device: Int, _ authorization: String, isOfApp: Bool
    ) async {
        let headers: Headers = ["Authorization": authorization]
        let (app, local, source) = (devices[device].app, devices[device].local, part.call.rawValue)
        let answer = await ask(part.call, part.path(of: message), device, headers)
        guard let (response, span) = answer else { return }
        checked += 1
        if response.status == 200 {
            let number = apps[app].numbers[message]
            let mayShow = number.map { !apps[app].ledger.mustHide($0, on: local, during: span) } ?? false
            if !mayShow {
                wrong(isOfApp ? .foreign : .leaked, device, source, message: number, message.text)
            }
        } else if response.status != 404 {
            wrong(.refusal, device, source, response.words)
        }
        guard !isOfApp else { return }
        let mark = apps[app].calls.request(.post, "/v1/inbox/delete", as: authorization) { body in
            body.member("ids", [message.text])
        }
        _ = await exchange(.delete, mark, device)
    }
}
