import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// What backends and devices do to an app.
extension ModelServer {
    static func backendRoutes(into router: inout Router<Handler>) {
        router.add(.post, "/v1/messages") { try $0.send($1) }
        router.add(.delete, "/v1/messages/{message}") { try $0.recall($1) }
        router.add(.patch, "/v1/app") { try $0.change($1) }
        router.add(.post, "/v1/sessions") { try $0.openSession($1) }
        router.add(.delete, "/v1/sessions/{user}") { try $0.endSession($1) }
        router.add(.delete, "/v1/named-users/{person}") { try $0.erase($1) }
        router.add(.post, "/api/named_users/tags") { try $0.tagPeople($1) }
        router.add(.post, "/api/channels/tags") { try $0.tagChannels($1) }
    }

    private mutating func send(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        let key = call.request.headers["idempotency-key"]
        if let key, let answer = apps[app]?.answers[key], lapse != .sendsAgain { return answer }
        let request = try MessageRequest(call.request.body, limits: Limits(), now: now)
        let message = MessageID(high: random.next(), low: random.next())
        let life =
            if case .after(let seconds) = request.draft.expiry { seconds } else { Limits().lifeSeconds }
        let sent = Instant(milliseconds: now.milliseconds)
        let expires = Instant(milliseconds: sent.milliseconds + life * 1000)
        guard let reach = apps[app]?.model.reach(request.audience, on: request.deviceTypes) else {
            throw Refusal(404)
        }
        let unknown = reach.unknown.sorted()
        _ = apps[app]?.model.send(
            to: request.audience, on: lapse == .showsToAllTypes ? .all : request.deviceTypes,
            extra: request.draft.extra,
            answered: ReferenceInbox.Answer(
                message: message, sent: sent, expires: expires, recipients: reach.recipients, unknown: unknown
            ))
        apps[app]?.drafts[message] = request.draft
        let answer = Response.json(202) { body in
            body.member("message_id", message.text)
            body.member("push_id", message.pushID)
            body.member("recipients", reach.recipients)
            body.member("unknown", unknown)
            body.member("state", "sent")
            body.member("sent", sent.millisecondsText)
            body.member("expires", expires.millisecondsText)
        }
        if let key { apps[app]?.answers[key] = answer }
        return answer
    }

    private mutating func recall(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        guard let id = MessageID(wire: call.parameters[0]), apps[app]?.model.recall(id) == true else {
            throw Refusal(404)
        }
        return Response(status: 204)
    }

    private mutating func change(_ call: ModelCall) throws -> Response {
        let (app, body) = (try app(call, isBackend: true), try call.json())
        var settings = try ReferenceInbox.Settings(
            keepsWithPeople: body.string("delivery_mode") == "person",
            trustsDevices: body.string("identity_mode") == "trusted")
        settings.filters = try body.string("filter_mode") == "server"
        settings.showsUntargeted = try body.bool("filter_untargeted")
        settings.cap = try body.number("inbox_cap")
        apps[app]?.settings = settings
        if lapse == .capReturns { settings.cap = .max }
        apps[app]?.model.settings = settings
        return Response(status: 200)
    }

    private mutating func openSession(_ call: ModelCall) throws -> Response {
        let (app, body) = (try app(call, isBackend: true), try call.json())
        let person = try NamedUserID(body.string("named_user_id"))
        let life = Int64(try body.number("expires_in")) * 1_000_000
        let user = newUser(of: app, secret: nil)
        let until = Instant(rawValue: now.rawValue + life)
        let kept = lapse == .ignoresSessionEnd ? Instant(rawValue: .max) : until
        apps[app]?.model.openSession(user, for: person, until: kept)
        return .json(201) { answer in
            answer.member("token", user.text + user.text)
            answer.member("user_id", user.text)
            answer.member("named_user_id", person.text)
            answer.member("expires", until.millisecondsText)
        }
    }

    private mutating func endSession(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        guard let user = UserID(text: Array(call.parameters[0].utf8)[...]), user.app == app,
            apps[app]?.secrets.removeValue(forKey: user) != nil
        else { throw Refusal(404) }
        apps[app]?.model.endSession(user)
        return Response(status: 204)
    }

    private mutating func erase(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        guard apps[app]?.model.erase(try NamedUserID(call.parameters[0])) == true else { throw Refusal(404) }
        return Response(status: 204)
    }

    private mutating func tagPeople(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        let request = try TagRequest<NamedUserID>(people: call.request.body, limits: Limits())
        for person in request.targets {
            for (group, tags) in request.change.set {
                apps[app]?.model.setTags(Set(tags), in: group, of: person)
            }
        }
        return Response(status: 200)
    }

    private mutating func tagChannels(_ call: ModelCall) throws -> Response {
        let app = try app(call, isBackend: true)
        let request = try TagRequest<ChannelID>(channels: call.request.body, limits: Limits())
        for channel in request.targets {
            for (group, tags) in request.change.set {
                apps[app]?.model.setTags(Set(tags), in: group, of: channel)
            }
        }
        return Response(status: 200)
    }
}
