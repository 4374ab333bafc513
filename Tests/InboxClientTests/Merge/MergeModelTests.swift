import Foundation
import InboxClient
import InboxModel
import InboxWire
import Platform
import ReferenceInbox
import Testing

/// The merge rules, held against the model of the server: what a client shows before the server knows is what the
/// server shows when it does.
@Suite struct MergeModelTests {
    private static let user = UserID(app: AppID(rawValue: 1), key: 1)
    private static let channel = ChannelID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))

    @Test(arguments: MergeVector.all.filter(\.isForServer))
    func `a server that was told everything shows what the client showed`(vector: MergeVector) throws {
        var model = ReferenceInbox(
            ReferenceInbox.Settings(keepsWithPeople: true, trustsDevices: true),
            now: Instant(seconds: 1_600_000_000))
        model.register(MergeModelTests.channel, .ios)
        model.makeUser(MergeModelTests.user, on: MergeModelTests.channel)
        let people = Set(vector.held.map(\.person)).subtracting([nil]).sorted {
            $0?.text ?? "" < $1?.text ?? ""
        }
        // Whoever logs in for the first time comes to be, and sees what is sent to everyone from then on.
        for person in people { logIn(person, &model) }
        for row in rows(of: vector) { try send(row, to: holders(vector, of: row.id), &model) }
        for view in vector.held { markAsHeld(view, vector, &model) }
        for mark in vector.marks where !mark.isTold || vector.pages.isEmpty {
            logIn(mark.person, &model)
            take(mark, &model)
        }
        logIn(vector.person, &model)
        model.now = vector.now
        let view = try #require(model.view(of: MergeModelTests.user))
        #expect(view.map(\.message) == vector.shown)
        #expect(Set(view.filter(\.isUnread).map(\.message)) == Set(vector.unread))
        #expect(model.unreadCount(of: MergeModelTests.user) == vector.unreadCount)
    }

    /// What the server holds: what the client holds, and what pages say.
    private func rows(of vector: MergeVector) -> [MessageRow] {
        var rows = vector.held.flatMap(\.view.rows)
        for page in vector.pages {
            if page["reset"] == .bool(true) { rows = [] }
            let changed = (try? page.list("changed"))?.compactMap { MessageRow(listed: $0) } ?? []
            let removed = (try? page.list("removed")) ?? []
            let gone =
                changed.map(\.id.text)
                + removed.compactMap { if case .string(let id) = $0 { id } else { nil } }
            rows = rows.filter { !gone.contains($0.id.text) } + changed
        }
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }.values
            .sorted { $0.content.sent < $1.content.sent }
    }

    private func holders(_ vector: MergeVector, of message: MessageID) -> [NamedUserID] {
        vector.held.filter { $0.view.row(of: message) != nil }.compactMap(\.person)
    }

    private func send(_ row: MessageRow, to people: [NamedUserID], _ model: inout ReferenceInbox) throws {
        let audience: Audience =
            switch row.place {
            case .device: .channels([MergeModelTests.channel], type: nil)
            case .person: .namedUsers(people)
            case .app: .everyone
            }
        let reach = model.reach(audience, on: .all)
        let wrong = model.send(
            to: audience, on: .all, extra: [:],
            answered: ReferenceInbox.Answer(
                message: row.id, sent: row.content.sent,
                expires: row.content.expires ?? Instant(seconds: 1_900_000_000),
                recipients: reach.recipients, unknown: Array(reach.unknown)))
        #expect(wrong == [])
    }

    /// What the client holds as read was read.
    private func markAsHeld(_ held: PersonView, _ vector: MergeVector, _ model: inout ReferenceInbox) {
        logIn(held.person, &model)
        for row in rows(of: vector) where !row.isUnread {
            take(MergeVector.Mark(person: held.person, mark: .read, message: row.id, isTold: true), &model)
        }
    }

    private func take(_ mark: MergeVector.Mark, _ model: inout ReferenceInbox) {
        model.now = model.now.adding(seconds: 1)
        guard let kind = ReferenceInbox.Mark(rawValue: mark.mark.rawValue) else {
            Issue.record("the model knows no \(mark.mark)")
            return
        }
        model.mark([mark.message], as: kind, by: MergeModelTests.user)
    }

    private func logIn(_ person: NamedUserID?, _ model: inout ReferenceInbox) {
        if let person {
            model.login(MergeModelTests.channel, as: person)
        } else {
            model.logout(MergeModelTests.channel)
        }
    }
}
