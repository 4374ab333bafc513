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
                if attempts == 0, random.chance(options.profile.recalled) { try await recallOne(&random) }
            }
        } catch {
            // The load is over, the server is away, or it refused, which is among the findings.
        }
    }

    /// Sends a request of one push or a few; false if it was not answered.
    private func sendSome(_ random: inout SeededRandom) async throws -> Bool {
        let mix = options.mix
        let count =
            random.chance(1, outOf: 10) ? Int.random(in: 2...LoadOptions.pushesPerRequest, using: &random) : 1
        let targets = (0..<count).compactMap { _ in mix.target(ledger, using: &random) }
        guard !targets.isEmpty else { return true }
        let pushes = targets.map { target in
            let life = mix.lifeSeconds(using: &random)
            let number = ledger.willSend(to: target, lifeSeconds: life, at: moment())
            return Push(selector: selector(of: target), number: number, lifeSeconds: life)
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
        // Before it is certain whom a message reaches, a person's first login may be under way.
        guard pushes.count == 1, ledger.certainRecipients(of: pushes[0].number) != nil else { return }
        if let words = ledger.misfit(of: answer.recipients, to: pushes[0].number) { refuse(asked, words) }
        if let unknown = answer.unknown, !unknown.isEmpty { refuse(asked, "does not know \(unknown)") }
    }

    // MARK: What is sent

    private func selector(of target: Target) -> (name: String, value: String)? {
        switch target {
        case .device(let device): ("channel", devices[device].channelText)
        case .person(let person): ("named_user", composition.person(person))
        case .tag(let tag): ("tag", composition.tag(tag))
        case .everyone: nil
        }
    }

    private func recallOne(_ random: inout SeededRandom) async throws {
        guard let (number, id) = ledger.nextRecall(using: &random) else { return }
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
