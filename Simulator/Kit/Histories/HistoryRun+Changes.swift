import HTTPCore
import InboxModel
import InboxWire
import ReferenceInbox

/// What pages of changes say.
extension HistoryRun {
    mutating func hearChanges(
        _ response: Response, _ caller: Caller, _ member: Member,
        _ asked: (limit: Int, isRepeated: Bool, times: Int)
    ) throws -> Judgement {
        let page = try changesPage(response)
        var client = clients[caller] ?? HistoryClient()
        let since = asked.isRepeated ? client.previousCursor : client.cursor
        let before = asked.isRepeated ? nil : client.moment
        if !page.isReset, page.changed.count + page.removed.count > asked.limit {
            throw Unreadable("more than \(asked.limit) changes: \(response.words)")
        }
        if before?.deeds == deeds, !isContended, let complaint = vain(page, since: since) {
            throw Unreadable("\(complaint)\ncame     \(response.words)")
        }
        for _ in 0..<asked.times { client.apply(page) }
        let copy = page.hasMore ? nil : client.copy.values.sorted { $0.isAhead(of: $1) }
        // What was before a reset is of another view: nobody goes on from there.
        client.previousCursor = page.isReset ? nil : since
        if let copy {
            see(copy.map(\.message), at: page.cursor, member, &client)
        } else {
            (client.cursor, client.moment, client.seen) = (page.cursor, nil, nil)
        }
        clients[caller] = client
        let (names, changes) = (messageNames, tenants[member.tenant].changes)
        return { model in
            if let complaint = HistoryRun.reset(
                page, since: since, before, now: (model, member.user, changes))
            {
                return complaint
            }
            let expected = model.rows(of: member.user)
            let count = expected.count(where: \.isUnread)
            guard page.unreadCount == count else {
                return "expected unread_count \(count)\ncame     \(response.words)"
            }
            guard let copy, copy != expected else { return nil }
            return difference(expected, copy, names) + ", by changes"
        }
    }

    /// Changes since a cursor that was just given, which holds everything.
    func hearNothingNew(_ response: Response, _ caller: Caller) throws -> Judgement {
        let page = try changesPage(response)
        // A deed of the caller's own that was under way has taken the cursor's place.
        guard !isContended, let answered = clients[caller]?.answered else { return { _ in nil } }
        let isVain = answered.moment.deeds == deeds
        let complaint = isVain ? vain(page, since: answered.cursor) : nil
        return { _ in complaint.map { "\($0)\ncame     \(response.words)" } }
    }

    /// Remembers a view as a whole.
    func see(_ messages: [MessageID], at cursor: String, _ member: Member, _ client: inout HistoryClient) {
        (client.cursor, client.moment, client.seen) = (cursor, nil, nil)
        guard !isContended, let owner = owner(of: member) else { return }
        let moment = HistoryClient.Moment(deeds: deeds, owner: owner)
        client.moment = moment
        client.seen = HistoryClient.Seen(cursor: cursor, messages: messages, moment: moment)
    }

    /// Whose view a member has; nothing if that depends on which of two things happened first.
    private func owner(of member: Member) -> HistoryClient.Owner? {
        let owners = tenants[member.tenant].models.map { model in
            HistoryClient.Owner(
                ownership: model.ownership(of: member.user), settings: model.settings,
                changes: tenants[member.tenant].changes)
        }
        return owners.allSatisfy { $0 == owners[0] } ? owners[0] : nil
    }

    /// What is wrong where nothing happened since a cursor that holds everything.
    private func vain(_ page: ChangesPage, since cursor: String?) -> String? {
        guard page.changed.isEmpty, page.removed.isEmpty, !page.isReset, !page.hasMore else {
            return "expected no changes, since nothing happened"
        }
        return page.cursor == cursor ? nil : "expected the same cursor, since nothing happened"
    }

    /// A reset comes where person, inboxes or settings are others, or without a cursor, and only there.
    private static func reset(
        _ page: ChangesPage, since cursor: String?, _ before: HistoryClient.Moment?,
        now: (model: ReferenceInbox, user: UserID, changes: Int)
    ) -> String? {
        if cursor == nil { return page.isReset ? nil : "expected a reset, since there was no cursor" }
        guard let owner = before?.owner else { return nil }
        let isOthers =
            owner.ownership != now.model.ownership(of: now.user) || owner.settings != now.model.settings
        if isOthers, !page.isReset { return "expected a reset, since person, inbox or settings are others" }
        if !isOthers, page.isReset, owner.changes == now.changes {
            return "expected changes\ncame     a reset"
        }
        return nil
    }

    private func changesPage(_ response: Response) throws -> ChangesPage {
        let answer = try response.json()
        let page = ChangesPage(
            changed: try sightings(answer.array("changed")),
            removed: try answer.array("removed").map { json throws(Unreadable) in
                guard case .string(let text) = json, let id = MessageID(text: text.utf8) else {
                    throw Unreadable("an id in removed is \(json.text)")
                }
                return id
            },
            unreadCount: try answer.number("unread_count"), cursor: try answer.string("cursor"),
            hasMore: try answer.bool("more"), isReset: try answer.bool("reset"))
        let ids = page.changed.map(\.message) + page.removed
        guard Set(ids).count == ids.count else {
            throw Unreadable("a page holds an id twice: \(response.words)")
        }
        guard !page.isReset || page.removed.isEmpty && !page.hasMore else {
            throw Unreadable("a reset that is no whole view: \(response.words)")
        }
        return page
    }
}

extension Sighting {
    /// List order.
    fileprivate func isAhead(of other: Sighting) -> Bool {
        sent == other.sent ? message.text < other.message.text : sent > other.sent
    }
}
