/// What is news to a device beyond doubt, so that its stream must tell of it.
extension Ledger {
    /// Devices that may show what is sent to a target.
    package func devices(of target: Target) -> [Int] {
        switch target {
        case .device(let device): [device]
        case .person(let person): people[person].devices.sorted()
        case .tag(let tag): devices.indices.filter { devices[$0].tag == tag }
        case .everyone: Array(devices.indices)
        }
    }

    /// Whether a send that was answered has changed what a device shows.
    package func isNews(_ number: Int, to device: Int) -> Bool {
        hasKeptLogin(device, since: messages[number].accepted.possible) && isShown(number, on: device)
    }

    /// Whether a recall that was answered has taken a message from a device that showed it when it began.
    package func isLoss(_ number: Int, to device: Int, since start: Moment) -> Bool {
        let sight = sight(of: number, on: device, devices[device].person)
        return hasKeptLogin(device, since: start.stamp) && sight.exists.mustHold(from: start.stamp)
            && !sight.deleted.isPossible && !sight.mayBeCapped
    }

    /// The other devices of the person in whose inbox a batch of marks, now answered, has changed something.
    package func witnesses(of ticket: MarkTicket) -> [Int] {
        guard let person = ticket.person, ticket.news != nil else { return [] }
        return people[person].devices.filter {
            $0 != ticket.device && devices[$0].person == person && hasKeptLogin($0, since: ticket.start)
        }.sorted()
    }

    /// The first message whose state in its person's inbox a mark that begins now will have changed, once it is answered.
    ///
    /// If another's mark comes first, then that has changed it, no earlier.
    func news(of mark: Mark, _ numbers: [Int], by device: Int, at now: Stamp) -> Int? {
        guard let person = devices[device].person, delivery == .person, !devices[device].isChangingLogin
        else { return nil }
        return numbers.first { number in
            guard messages[number].target == .person(person), messages[number].lifeSeconds == nil,
                !messages[number].recalled.isPossible
            else { return false }
            let sight = sight(of: number, on: device, person)
            guard sight.exists.mustHold(from: now), !sight.deleted.isPossible, !sight.mayBeCapped else {
                return false
            }
            return switch mark {
            case .read: !sight.read.isPossible && toggles[.person(person, number)] == nil
            case .delete: true
            // Whether it was read just then is not known of most.
            case .unread: false
            }
        }
    }

    private func hasKeptLogin(_ device: Int, since start: Stamp) -> Bool {
        let record = devices[device]
        return !record.isChangingLogin && (record.loginSettled == .never || record.loginSettled <= start)
    }
}
