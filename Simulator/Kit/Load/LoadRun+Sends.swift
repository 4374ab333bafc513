import InboxModel
import Platform

extension LoadRun {
    /// Sends messages until the load ends, and takes some back.
    func keepSending(_ sender: Int) async {
        var random = SeededRandom.part(-2 - sender, of: options.seed)
        let mean = Duration.seconds(Double(options.senders) / options.sendRate)
        var attempts = 0
        do {
            while true {
                try await pause(
                    random.pause(mean: mean) + (attempts > 0 ? backOff(attempts) : .zero))
                if clock.now() >= loadEnd { return }
                attempts = try await sendSome(&random) ? 0 : attempts + 1
                if attempts == 0, random.chance(1, outOf: 20) { try await recallOne(&random) }
            }
        } catch {
            // The load is over, the server is away, or it refused, which is among the findings.
        }
    }

    /// Sends a request of one push or a few; false if it was not answered.
    private func sendSome(_ random: inout SeededRandom) async throws -> Bool {
        let count =
            random.chance(1, outOf: 10) ? Int.random(in: 2...LoadOptions.pushesPerRequest, using: &random) : 1
        let drafts = (0..<count).compactMap { _ in draft(&random) }
        guard !drafts.isEmpty else { return true }
        let pushes = drafts.map { draft in
            let number = ledger.willSend(to: draft.target, lifeSeconds: draft.lifeSeconds, at: moment())
            return Push(selector: selector(of: draft.target), number: number, lifeSeconds: draft.lifeSeconds)
        }
        let answer: Answer
        do {
            answer = try await exchange(.send, access.push(pushes, composition))
        } catch is Unanswered {
            return false  // whether it was stored shows when a device lists it
        }
        let asked = Asked(name: "POST /api/push/", device: nil)
        do {
            try expect([202], answer, to: asked)
        } catch {
            for push in pushes { ledger.didRefuse(push.number) }
            throw error
        }
        note(pushes, try decode(PushAnswer.self, answer, to: asked), answer.span.end, asked)
        return true
    }

    private func note(_ pushes: [Push], _ answer: PushAnswer, _ end: Moment, _ asked: Asked) {
        let ids = answer.messageIDs.compactMap { MessageID(text: $0.utf8) }
        guard ids.count == pushes.count, answer.pushIDs.count == pushes.count else {
            return refuse(asked, "\(answer.messageIDs.count) messages for \(pushes.count) pushes")
        }
        for (push, id) in zip(pushes, ids) {
            answeredSends.insert(push.number)
            if !ledger.didSend(push.number, as: id, isGradual: answer.state == "delivering", at: end) {
                findings.add(
                    Difference(
                        .sentTwice, device: nil, message: push.number, in: (asked.name, end.milliseconds)))
            }
        }
        guard pushes.count == 1, let expected = ledger.certainRecipients(of: pushes[0].number) else { return }
        if let recipients = answer.recipients, recipients != expected {
            refuse(asked, "\(recipients) recipients where \(expected) are right")
        }
        if let unknown = answer.unknown, !unknown.isEmpty { refuse(asked, "does not know \(unknown)") }
    }

    // MARK: What is sent

    private func draft(_ random: inout SeededRandom) -> (target: Target, lifeSeconds: Int64?)? {
        guard let target = target(&random) else { return nil }
        return (target, random.chance(1, outOf: 10) ? Int64.random(in: 2...8, using: &random) : nil)
    }

    /// Mostly single devices and people; to tags and all only so often that inboxes stay of a size people have.
    private func target(_ random: inout SeededRandom) -> Target? {
        let draw = Double.random(in: 0..<1, using: &random)
        let everyone = min(0.03, 100 / options.expectedSends)
        let tag = min(0.12, 60 * Double(options.tags) / options.expectedSends)
        if draw < everyone { return .everyone }
        if draw < everyone + tag { return .tag(Int.random(in: 0..<options.tags, using: &random)) }
        if draw < 0.55 { return .person(Int.random(in: 0..<options.people, using: &random)) }
        for _ in 0..<8 {
            let device = Int.random(in: 0..<devices.count, using: &random)
            if ledger.isRegistered(device) { return .device(device) }
        }
        return nil
    }

    private func selector(of target: Target) -> (name: String, value: String)? {
        switch target {
        case .device(let device): ("channel", devices[device].channelText)
        case .person(let person): ("named_user", composition.person(person))
        case .tag(let tag): ("tag", composition.tag(tag))
        case .everyone: nil
        }
    }

    private func recallOne(_ random: inout SeededRandom) async throws {
        let recent = ledger.messages.indices.suffix(300)
        guard let number = recent.randomElement(using: &random), ledger.canRecall(number),
            let id = ledger.messages[number].id
        else { return }
        ledger.willRecall(number, at: moment())
        do {
            let answer = try await exchange(.recall, access.recall(id.text))
            try expect([200, 202], answer, to: Asked(name: "DELETE /api/user/messages/", device: nil))
            ledger.didRecall(number, at: answer.span.end)
        } catch is Unanswered {
            // Gone or not: either is right now.
        }
    }
}
