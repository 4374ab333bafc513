import Foundation

extension LoadRun {
    /// Registers a device that is none of the run's, and by one send finds out where messages to people are kept.
    func probe() async throws -> Delivery {
        let channel = try await openChannel(.ios, tags: [], for: nil).0.uuidString.lowercased()
        let user = try await openUser(.ios, channel: channel, for: nil)
        if let delivery = options.delivery { return delivery }
        let person = "sim-\(options.run)-probe"
        _ = try await setLogin(.ios, channel: channel, to: person, for: nil)
        let push = Push(selector: ("named_user", person), number: 0, lifeSeconds: nil)
        let answer = try await persist(.send) { access.push([push], composition) }
        try expect([202], answer, to: Asked(name: "POST /api/push/", device: nil))
        guard try await count(user, channel) > 0 else {
            refuse(
                Asked(name: "GET messages/", device: nil), "an answered send to a person is not in the list")
            throw RunEnd.refused
        }
        _ = try await setLogin(.ios, channel: channel, to: nil, for: nil)
        return try await count(user, channel) > 0 ? .devices : .person
    }

    private func count(_ user: InboxUser, _ channel: String) async throws -> Int {
        struct List: Decodable {
            let messages: [StrictMessage]
        }
        let asked = Asked(name: "GET messages/", device: nil)
        let answer = try await persist(.list) { access.list(.ios, user, channel: channel, since: nil) }
        try expect([200], answer, to: asked)
        return try decode(List.self, answer, to: asked).messages.count
    }
}
