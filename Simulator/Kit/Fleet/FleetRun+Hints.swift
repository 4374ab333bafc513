import Platform

/// What streams must tell of: changes that another has had acknowledged.
extension FleetRun {
    /// Each look of the run at itself is one at what should have been heard.
    func lookForHints() {
        guard !isServerAway, !isInterrupted, let missed = hintWatch?.takeLook() else { return }
        for one in missed {
            let app = devices[one.device].app
            wrong(
                .unheard, one.device, "stream", message: one.message,
                "answered at \(FleetStory.seconds(one.changed)) s, "
                    + apps[app].ledger.facts(about: one.message, on: devices[one.device].local))
        }
    }

    /// A send was answered: who shows it hears of it.
    func expectHints(ofSend number: Int, in app: Int) {
        let message = apps[app].ledger.messages[number]
        guard !message.isGradual else { return }
        expectHints(of: number, since: message.started, in: app) { $0.isNews(number, to: $1) }
    }

    /// A recall was answered: who showed the message hears of it.
    func expectHints(ofRecall number: Int, since start: Moment, in app: Int) {
        expectHints(of: number, since: start.milliseconds, in: app) {
            $0.isLoss(number, to: $1, since: start)
        }
    }

    /// Marks were answered: the other devices of the person hear of them.
    func expectHints(of ticket: MarkTicket, since start: Moment, in app: Int) {
        guard let number = ticket.news, hintWatch != nil else { return }
        for local in apps[app].ledger.witnesses(of: ticket) {
            expectHint(of: number, since: start.milliseconds, on: apps[app].devices.lowerBound + local)
        }
    }

    private func expectHints(
        of number: Int, since start: Int64, in app: Int, where isChange: (Ledger, Int) -> Bool
    ) {
        guard hintWatch != nil else { return }
        let (ledger, first) = (apps[app].ledger, apps[app].devices.lowerBound)
        for local in ledger.devices(of: ledger.messages[number].target)
        where hintWatch?.isListening(first + local, since: start) == true && isChange(ledger, local) {
            expectHint(of: number, since: start, on: first + local)
        }
    }

    private func expectHint(of number: Int, since start: Int64, on device: Int) {
        hintWatch?.changed(number, on: device, since: start, at: elapsed.milliseconds)
    }
}
