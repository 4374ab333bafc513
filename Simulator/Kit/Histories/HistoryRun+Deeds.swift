import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// What answers to deeds say.
extension HistoryRun {
    /// Remembers an answer and returns how it is to be judged: what was done, and what was shown of it afterwards.
    ///
    /// Between the two something else may have happened, if it was under way.
    mutating func hear(_ response: Response, _ action: Action, _ plan: Plan) throws -> [Judgement] {
        if case .look(let caller, let look) = action {
            guard let member = member(caller) else { preconditionFailure("who is not there asks nothing") }
            return [try hear(response, to: look, by: caller, member)]
        }
        deeds += 1
        switch action {
        case .login(let device, let person, .device):
            return try hearLogin(response, device, World.people[person])
        case .logout(let device, .device): return try hearLogin(response, device, nil)
        case .attach, .uninstall, .tagDevice, .login, .logout:
            return [try hearDevice(response, action, plan)]
        case .openSession, .endSession, .erase, .tagPerson, .change:
            return [try hearBackend(response, action, plan.tenant)]
        case .send, .sendAgain, .recall: return [try hearSend(response, action, plan)]
        case .mark, .markAll: return try hearMark(response, action, plan)
        case .look, .register, .wait, .waitForExpiry, .waitForEnd, .together:
            preconditionFailure("that is no single request to be judged")
        }
    }

    /// The status is one of these, and that is all there is to say.
    static func expect(_ status: Int, _ response: Response) -> String? {
        response.status == status ? nil : "expected \(status)\ncame     \(response.words)"
    }

    /// Judges the answer to a credential: 401 exactly where it opens nothing.
    static func credential(
        _ user: UserID, _ response: Response, _ judge: @escaping Judgement
    ) -> Judgement {
        { model in
            guard model.ownership(of: user) != nil else { return expect(401, response) }
            return response.status == 401 ? "came     \(response.words)" : judge(&model)
        }
    }

    // MARK: Devices

    private mutating func hearDevice(_ response: Response, _ action: Action, _ plan: Plan) throws -> Judgement
    {
        switch action {
        case .attach(let device, _):
            guard let user = devices[device]?.user, let channel = plan.channel else { break }
            if response.status == 200 {
                for (number, member) in devices where member.channel == channel {
                    devices[number]?.channel = nil
                }
                devices[device]?.channel = channel
            }
            return HistoryRun.credential(user, response) { model in
                model.attach(channel, to: user)
                return HistoryRun.expect(200, response)
            }
        case .uninstall(let device):
            guard let user = devices[device]?.user, let channel = plan.channel else { break }
            if response.status == 204 { devices[device]?.channel = nil }
            return HistoryRun.credential(user, response) { model in
                guard model.channel(of: user) == channel else { return HistoryRun.expect(404, response) }
                model.uninstall(channel)
                return HistoryRun.expect(204, response)
            }
        case .tagDevice(_, let tags, let ofPeople):
            guard let channel = plan.channel else { break }
            let names = Set(names(tags))
            return { model in
                model.setTags(names, in: AppCalls.tagGroup(ofPeople: ofPeople), of: channel)
                return HistoryRun.expect(200, response)
            }
        case .login(_, let person, _):
            guard let channel = plan.channel else { break }
            return { model in
                model.login(channel, as: World.people[person])
                return HistoryRun.expect(200, response)
            }
        case .logout:
            guard let channel = plan.channel else { break }
            return { model in
                model.logout(channel)
                return HistoryRun.expect(200, response)
            }
        default: break
        }
        preconditionFailure("who is not there does nothing")
    }

    /// A login by the device itself, or a logout with nobody.
    private mutating func hearLogin(
        _ response: Response, _ device: Int, _ person: NamedUserID?
    ) throws -> [Judgement] {
        guard let user = devices[device]?.user else {
            preconditionFailure("who is not there does nothing")
        }
        let answer = response.status == 200 ? try response.json() : nil
        if let answer { try remember(answer, .device(device)) }
        let name = answer?["named_user_id"]
        guard answer == nil || name == person.map({ .string($0.text) }) ?? .null else {
            throw Unreadable("expected to be \(person?.text ?? "nobody")\ncame     \(response.words)")
        }
        let deed = HistoryRun.credential(user, response) { model in
            guard let channel = model.channel(of: user) else { return HistoryRun.expect(409, response) }
            if let person {
                guard model.claim(channel, as: person) else { return HistoryRun.expect(403, response) }
            } else {
                model.logout(channel)
            }
            return HistoryRun.expect(200, response)
        }
        return [deed] + HistoryRun.standing(answer, of: user)
    }

    /// Keeps the cursor of the view after a deed, of which nothing is known if something else happened meanwhile.
    private mutating func remember(_ answer: JSON, _ caller: Caller) throws {
        let cursor = try answer.string("cursor")
        clients[caller, default: HistoryClient()].answered = nil
        guard !isContended else { return }
        clients[caller]?.answered = HistoryClient.Answered(
            cursor: cursor, moment: HistoryClient.Moment(deeds: deeds, owner: nil))
    }

    /// What an answer shows of the view after a deed.
    private static func standing(_ answer: JSON?, of user: UserID) -> [Judgement] {
        guard let answer else { return [] }
        return [
            { model in
                let expected = model.unreadCount(of: user) ?? 0
                return answer["unread_count"] == .number(JSONNumber(Int64(expected)))
                    ? nil : "expected unread_count \(expected)\ncame     \(answer.text)"
            }
        ]
    }

    // MARK: Backend

    private mutating func hearBackend(
        _ response: Response, _ action: Action, _ tenant: Int
    ) throws -> Judgement {
        switch action {
        case .openSession(let session, _, let person, let seconds):
            let json = try response.json(201)
            let (user, token) = (try HistoryRun.user(json), try json.string("token"))
            let expires = try Sighting.instant(json.string("expires"))
            sessions[session] = Member(
                tenant: tenant, user: user, authorization: "Bearer \(token)", ends: expires)
            return { model in
                let expected = model.now.milliseconds + seconds * 1000
                guard expires.milliseconds == expected else {
                    return "expected to end at \(expected)\n\(json.text)"
                }
                model.openSession(
                    user, for: World.people[person],
                    until: Instant(rawValue: model.now.rawValue + seconds * 1_000_000))
                return nil
            }
        case .endSession(let session):
            guard let user = sessions[session]?.user else { break }
            return { model in
                // One that has ended by itself may be there still.
                let isLive = model.ownership(of: user) != nil
                model.endSession(user)
                return !isLive && response.status == 404 ? nil : HistoryRun.expect(204, response)
            }
        case .erase(_, let person):
            return { model in
                let isKnown = model.erase(World.people[person])
                return HistoryRun.expect(isKnown ? 204 : 404, response)
            }
        case .tagPerson(_, let person, let tags):
            let names = Set(names(tags))
            return { model in
                model.setTags(names, in: AppCalls.tagGroup(ofPeople: true), of: World.people[person])
                return HistoryRun.expect(200, response)
            }
        case .change(_, let settings):
            tenants[tenant].changes += 1
            return { model in
                model.settings = settings
                return HistoryRun.expect(200, response)
            }
        default: break
        }
        preconditionFailure("who is not there does nothing")
    }

    private mutating func hearSend(_ response: Response, _ action: Action, _ plan: Plan) throws -> Judgement {
        switch action {
        case .send(let sending):
            let answer = try HistoryRun.answer(response)
            let audience = audience(of: sending)
            sends[sending.number] = Sent(
                sending: sending, request: plan.request, answer: response, id: answer.message)
            return { model in
                let life = sending.seconds ?? HistoryRun.longestLife
                let wrong = model.send(
                    to: audience, on: sending.types, extra: sending.extra, answered: answer)
                guard wrong.isEmpty else { return "wrong     \(wrong.joined(separator: "; "))" }
                guard answer.sent.milliseconds == model.now.milliseconds,
                    answer.expires.milliseconds - answer.sent.milliseconds == life * 1000
                else { return "expected to be sent now and to live \(life) s\ncame     \(response.words)" }
                return nil
            }
        case .sendAgain(let number):
            let first = sends[number]?.answer
            return { _ in
                response.status == first?.status && response.body == first?.body
                    ? nil : "expected the first answer, \(first?.words ?? "none")\ncame     \(response.words)"
            }
        case .recall(let number):
            guard let id = sends[number]?.id else { break }
            return { model in
                let isTaken = model.recall(id)
                return HistoryRun.expect(isTaken ? 204 : 404, response)
            }
        default: break
        }
        preconditionFailure("who is not there does nothing")
    }

    /// Seconds of a message that asks for no end.
    private static let longestLife: Int64 = 365 * 86_400

    private static func answer(_ response: Response) throws(Unreadable) -> ReferenceInbox.Answer {
        let json = try response.json(202)
        guard let id = MessageID(text: try json.string("message_id").utf8) else {
            throw Unreadable(json.text)
        }
        var unknown: [String] = []
        for case .string(let name) in try json.array("unknown") { unknown.append(name) }
        return ReferenceInbox.Answer(
            message: id, sent: try Sighting.instant(json.string("sent")),
            expires: try Sighting.instant(json.string("expires")), recipients: try json.number("recipients"),
            unknown: unknown)
    }

    // MARK: Marks

    private mutating func hearMark(_ response: Response, _ action: Action, _ plan: Plan) throws -> [Judgement]
    {
        let answer = response.status == 200 && plan.request.path.hasPrefix("/v1") ? try response.json() : nil
        switch action {
        case .mark(let caller, let mark, _, _):
            guard let user = member(caller)?.user else { break }
            if let answer { try remember(answer, caller) }
            let deed = HistoryRun.credential(user, response) { model in
                model.mark(plan.messages, as: mark, by: user)
                return HistoryRun.expect(200, response)
            }
            return [deed] + HistoryRun.standing(answer, of: user)
        case .markAll(let caller, let mark):
            guard let user = member(caller)?.user, let seen = plan.seen, let owner = seen.moment.owner else {
                break
            }
            if let answer { try remember(answer, caller) }
            let changes = tenants[plan.tenant].changes
            let deed = HistoryRun.credential(user, response) { model in
                // What another person, inbox or setting showed is not told from what is shown now.
                let isOthers =
                    owner.ownership != model.ownership(of: user) || owner.settings != model.settings
                let isEither = owner.changes != changes && response.status == 409
                guard !isOthers, !isEither else { return HistoryRun.expect(409, response) }
                model.mark(seen.messages, as: mark, by: user)
                return HistoryRun.expect(200, response)
            }
            return [deed] + HistoryRun.standing(answer, of: user)
        default: break
        }
        preconditionFailure("who is not there does nothing")
    }
}
