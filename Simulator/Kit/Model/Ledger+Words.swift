extension Ledger {
    /// What the ledger knows of a message in a device's view, for whoever reads a difference.
    func facts(about number: Int, on device: Int) -> String {
        let message = messages[number]
        let person = devices[device].person
        let sight = sight(of: number, on: device, person)
        var facts = ["sent to \(message.target.words)", "send \(message.accepted.words)"]
        if let person { facts.append("person \(person) logged in") }
        facts.append("delivery \(sight.exists.words)")
        if sight.read.isPossible { facts.append("read \(sight.read.words)") }
        if sight.deleted.isPossible { facts.append("deletion \(sight.deleted.words)") }
        if sight.fallen < .never { facts.append("fallen out by the cap") }
        if message.recalled.isPossible { facts.append("recall \(message.recalled.words)") }
        if let life = message.lifeSeconds { facts.append("lives \(life) s from \(message.started) ms on") }
        return facts.joined(separator: ", ")
    }
}

extension Target {
    /// The target as a reader of a report sees it.
    package var words: String {
        switch self {
        case .device(let number): "device \(number)"
        case .person(let number): "person \(number)"
        case .tag(let number): "tag \(number)"
        case .everyone: "everyone"
        }
    }
}

extension Fact {
    /// How sure it is.
    fileprivate var words: String {
        if isCertain { return "answered" }
        return isPossible ? "unanswered" : "never asked for"
    }
}
