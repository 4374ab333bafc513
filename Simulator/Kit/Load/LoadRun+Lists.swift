import HTTPCore
import InboxModel
import Platform

extension LoadRun {
    /// Asks for a device's list and checks it; returns the messages of a whole list, nothing with a 304.
    @discardableResult
    func refresh(_ device: Int, isConditional: Bool = true) async throws -> [ReadMessage] {
        guard let user = devices[device].user else { return [] }
        let (kind, channel) = (devices[device].kind, devices[device].channelText)
        let validator = isConditional ? devices[device].validator : nil
        let answer = try await persist(.list) { access.list(kind, user, channel: channel, since: validator) }
        try expect(
            validator == nil ? [200] : [200, 304], answer, to: Asked(name: "GET messages/", device: device))
        devices[device].seen = answer.span
        measurements.countChecked()
        guard answer.response.status == 200 else {
            note(ledger.check(devices[device].list, of: device, during: answer.span, source: "304"))
            return []
        }
        return take(answer, device)
    }

    private func take(_ answer: Answer, _ device: Int) -> [ReadMessage] {
        let read = reader.read(answer.response.body, &ledger)
        let at = ("list", answer.span.end.milliseconds)
        for fault in read.faults {
            findings.add(
                Difference(fault.kind, device: device, message: fault.message, in: at, detail: fault.detail))
        }
        guard read.isReadable else { return [] }
        let list = read.messages.map(\.listed)
        note(ledger.check(list, of: device, during: answer.span, source: "list"))
        if let detail = wrongValidator(answer.response, isNew: list != devices[device].list, device) {
            findings.add(Difference(.validator, device: device, in: at, detail: detail))
        }
        devices[device].list = list
        devices[device].validator = answer.response.headers["Last-Modified"]
        return read.messages
    }

    func note(_ differences: [Difference]) {
        for difference in differences { findings.add(difference) }
    }

    /// What is wrong with the validator: one, a date, and later than the last one where the list is another.
    private func wrongValidator(_ response: Response, isNew: Bool, _ device: Int) -> String? {
        let values = response.headers.values(of: "Last-Modified")
        guard values.count == 1 else { return "\(values.count) Last-Modified" }
        guard let date = httpDate(values[0]) else { return "Last-Modified is \(values[0])" }
        guard isNew, let old = devices[device].validator, let oldDate = httpDate(old) else { return nil }
        return date > oldDate ? nil : "another list, but Last-Modified \(values[0]) after \(old)"
    }

    // MARK: Reading and deleting

    /// Picks what the user opens and deletes of what the device shows.
    func choose(_ device: Int) {
        guard devices[device].random.chance(2, outOf: 5) else { return }
        var (reads, deletes): ([Int32], [Int32]) = ([], [])
        for item in devices[device].list {
            if item.isUnread, devices[device].random.chance(1, outOf: 4) { reads.append(Int32(item.message)) }
            if devices[device].random.chance(1, outOf: 15) { deletes.append(Int32(item.message)) }
        }
        devices[device].pending = [.read: reads, .delete: deletes].filter { !$0.value.isEmpty }
    }

    /// Hands in a batch as the device's library does: the delivered reportings, in any order, again until answered.
    func handIn(_ mark: Mark, _ device: Int) async throws {
        guard let numbers = devices[device].pending[mark], let user = devices[device].user else { return }
        let (kind, channel) = (devices[device].kind, devices[device].channelText)
        let batch = reportings(of: numbers, device)
        let ticket = ledger.willMark(mark, numbers.map(Int.init), by: device, at: moment())
        let answer = try await persist(mark == .read ? .read : .delete) {
            access.mark(mark, kind, user, channel: channel, batch: batch)
        }
        let name = mark == .read ? "unread" : "delete"
        // Exactly 200: Android takes any other success for a failure.
        try expect([200], answer, to: Asked(name: "POST messages/\(name)/", device: device))
        ledger.didMark(ticket, at: answer.span.end)
        devices[device].pending[mark] = nil
    }

    /// A batch's elements, at times with some that name nothing of this device's and must change nothing.
    private func reportings(of numbers: [Int32], _ device: Int) -> [[UInt8]] {
        var batch = numbers.map { ledger.messages[Int($0)].reporting }
        if devices[device].random.chance(1, outOf: 4) {
            batch += ["null", "{}", #""""#, "17", #"{"message_id":"AAAAAAAAAAAAAAAAAAAAAA"}"#].map {
                Array($0.utf8)
            }
            batch += batch.prefix(1)
            let some = ledger.messages.indices.randomElement(using: &devices[device].random)
            if let some, ledger.isForeign(some, to: device), let id = ledger.messages[some].id {
                batch.append(Array(#"{"message_id":"\#(id.text)"}"#.utf8))
            }
        }
        batch.shuffle(using: &devices[device].random)
        return batch
    }

    /// Opens a message's page.
    func readBody(of message: ReadMessage, _ device: Int) async throws {
        guard let user = devices[device].user else { return }
        let target =
            message.bodyTarget.hasPrefix(base.pathPrefix + "/")
            ? String(message.bodyTarget.dropFirst(base.pathPrefix.count)) : message.bodyTarget
        let answer = try await persist(.body) { access.body(at: target, user) }
        let number = message.listed.message
        guard let fault = wrongBody(answer, number, device) else { return }
        findings.add(
            Difference(
                .body, device: device, message: number, in: ("GET \(target)", elapsed.milliseconds),
                detail: fault))
    }

    private func wrongBody(_ answer: Answer, _ number: Int, _ device: Int) -> String? {
        let response = answer.response
        guard response.status == 200 else {
            let mustShow = ledger.mustShow(number, on: device, during: answer.span)
            return mustShow || ![404, 410].contains(response.status) ? "answered \(response.status)" : nil
        }
        if ledger.mustHide(number, on: device, during: answer.span) { return "served, although it is gone" }
        return response.body == Array(composition.body(number).utf8) ? nil : "another text"
    }
}
