/// How a difference came about: what was done before, what was to be expected, and what came.
package struct FleetStory: Hashable, Sendable {
    package let difference: Difference
    private var told: [Sentence] = []

    private struct Sentence: Hashable {
        let milliseconds: Int64
        let words: String
    }

    package init(of difference: Difference) { self.difference = difference }

    /// Adds what a device did or got to know; or a backend, where there is no device.
    package mutating func tell(_ event: TraceEvent, by device: Int?) {
        let name = device.map { "device \($0)" } ?? "a backend"
        tell(event.words(by: name), at: Int64(event.milliseconds))
    }

    /// Adds something else.
    package mutating func tell(_ words: String, at milliseconds: Int64) {
        told.append(Sentence(milliseconds: milliseconds, words: words))
    }

    /// A line for each thing that happened, in order, and three for what is wrong with the end.
    package var lines: [String] {
        // Stable, since what happened within a millisecond was told in order.
        let inOrder = told.enumerated().sorted {
            ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset)
        }
        var lines = inOrder.map { "at \(FleetStory.seconds($0.element.milliseconds)) s \($0.element.words)" }
        lines.append("expected: \(difference.expectation)")
        lines.append("came: \(difference.words)")
        if let rule = difference.rule {
            lines.append("this breaks rule \(rule): \(difference.kind.ruleWords)")
        }
        return lines
    }

    /// Of the run, for people.
    static func seconds(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
    }
}

extension TraceEvent {
    fileprivate func words(by name: String) -> String {
        switch deed {
        case .registers: "\(name) registers"
        case .registrationAnswered: "\(name) is registered"
        case .logsIn: "person \(number) logs in on \(name)"
        case .logsOut: "\(name) logs out"
        case .loginAnswered: "\(name) is told that this is done"
        case .reads: "\(name) reads message \(number)"
        case .unreads: "\(name) marks message \(number) unread"
        case .deletes: "\(name) deletes message \(number)"
        case .markAnswered: "\(name) is told that its mark of message \(number) is done"
        case .shows: "\(name) shows message \(number)"
        case .showsNoMore: "\(name) shows message \(number) no more"
        case .recalls: "\(name) takes message \(number) back"
        case .recallAnswered: "\(name) is told that message \(number) is taken back"
        }
    }
}
