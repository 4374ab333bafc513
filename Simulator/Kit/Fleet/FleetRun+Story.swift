/// How the first difference is told.
extension FleetRun {
    /// What is still known of what led to a difference: of its device, of its message, and of who is logged in.
    func makeStory(of difference: Difference) -> FleetStory {
        var story = FleetStory(of: difference)
        guard let device = difference.device else { return story }
        let app = devices[device].app
        if let number = difference.message { tellSending(of: number, in: app, &story) }
        for event in trace.events(of: device) where concerns(event, difference) {
            story.tell(event, by: device)
        }
        if difference.kind == .unheard {
            if let since = hintWatch?.openSince(of: device) {
                story.tell("the stream of device \(device) is open", at: since)
            }
        } else {
            story.tell("device \(device) asks the server", at: devices[device].askedAt.milliseconds)
        }
        guard let number = difference.message else { return story }
        for other in companions(of: device) {
            let events = trace.events(of: other)
            guard events.contains(where: { $0.isMark(of: number) }) else { continue }
            for event in events where !event.deed.isOfMessage || event.isMark(of: number) {
                story.tell(event, by: other)
            }
        }
        for event in trace.events(ofApp: app) where event.number == Int32(number) {
            story.tell(event, by: nil)
        }
        return story
    }

    private func tellSending(of number: Int, in app: Int, _ story: inout FleetStory) {
        let message = apps[app].ledger.messages[number]
        let life = message.lifeSeconds.map { ", to live \($0) s" } ?? ""
        story.tell("message \(number) is sent to \(message.target.words)\(life)", at: message.started)
        if let known = message.known { story.tell("message \(number) is known to be sent", at: known) }
    }

    private func concerns(_ event: TraceEvent, _ difference: Difference) -> Bool {
        guard event.deed.isOfMessage, let message = difference.message else { return true }
        return event.number == Int32(message)
    }

    /// The other devices on which the same person is or was logged in, as far as that is remembered.
    private func companions(of device: Int) -> [Int] {
        let (app, local) = (devices[device].app, devices[device].local)
        guard let person = apps[app].ledger.person(on: local) else { return [] }
        return apps[app].devices.filter { other in
            other != device && trace.hasSeen(person, on: other)
        }
    }
}

extension TraceEvent {
    /// Whether it did something to a message, or tells that it is done.
    fileprivate func isMark(of message: Int) -> Bool {
        guard number == Int32(message) else { return false }
        return switch deed {
        case .reads, .unreads, .deletes, .markAnswered: true
        case .registers, .registrationAnswered, .logsIn, .logsOut, .loginAnswered, .shows, .showsNoMore,
            .recalls, .recallAnswered:
            false
        }
    }
}
