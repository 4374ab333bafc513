import InboxModel
import InboxService

extension Audience {
    /// Most inboxes that it can reach by what it names, whatever is stored; nothing where only a count can tell.
    ///
    /// - Parameter perPerson: most channels of a person.
    func mostInboxes(_ mode: DeliveryMode, perPerson: Int) -> Int? {
        let channels = mostChannels(perPerson: perPerson)
        guard mode == .person, isOfPeople else { return channels }
        guard namesTags else { return mostPeople }
        return channels.flatMap { channels in mostPeople.map { $0 + channels } }
    }

    /// Most people that it can mean by what it names.
    private var mostPeople: Int? { mostChannels(perPerson: 1) }

    private func mostChannels(perPerson: Int) -> Int? {
        switch self {
        case .channels(let channels, _): return channels.count
        case .namedUsers(let people): return people.count * perPerson
        case .everyone, .tags, .not: return nil
        case .all(let parts): return parts.compactMap { $0.mostChannels(perPerson: perPerson) }.min()
        case .any(let parts):
            return parts.reduce(0) { sum, part in
                sum.flatMap { sum in part.mostChannels(perPerson: perPerson).map { sum + $0 } }
            }
        }
    }
}
