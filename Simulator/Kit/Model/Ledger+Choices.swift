import InboxModel
import Platform

/// What a run may choose to do next, so that what is right stays known.
extension Ledger {
    /// Devices that may be logged in as one person at a time; well below the server's hundred.
    package static let devicesPerPerson = 50

    /// Whether a person may log in on another device.
    func hasRoom(for person: Int) -> Bool { deviceCount(of: person) < Ledger.devicesPerPerson }

    /// Who is to be logged in next where somebody is or nobody: often nobody, else anyone.
    func nextPerson(after person: Int?, using random: inout SeededRandom) -> Int? {
        if person != nil, random.chance(2, outOf: 5) { return nil }
        return Int.random(in: people.indices, using: &random)
    }

    /// One of the newest messages that may be taken back, if the one that is drawn may.
    func nextRecall(using random: inout SeededRandom) -> (number: Int, id: MessageID)? {
        guard let number = messages.indices.suffix(Ledger.recentMessages).randomElement(using: &random),
            canRecall(number), let id = messages[number].id
        else { return nil }
        return (number, id)
    }

    private static let recentMessages = 300

    /// What is wrong with how many an answered send says that it reached, where that cannot be doubted.
    func misfit(of recipients: Int?, to number: Int) -> String? {
        guard let recipients, let expected = certainRecipients(of: number), recipients != expected else {
            return nil
        }
        return "\(recipients) recipients where \(expected) are right"
    }
}
