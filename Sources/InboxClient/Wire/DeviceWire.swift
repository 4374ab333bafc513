package import ClientCore
package import HTTPCore
import InboxModel
import InboxWire
import Platform

/// The device interface, which published libraries speak: whole lists, marks by what came with each message.
///
/// It knows no cursors, no streams and no marking as unread. What it cannot tell it refuses, as a server would by 400.
package struct DeviceWire: Wire {
    private let end: WireEnd

    package init(_ end: WireEnd) { self.end = end }

    package func perform(_ call: SyncCall, as installation: Installation) async -> WireAnswer {
        await answer(to: call, as: installation).hiding(end.secrets(of: call, as: installation))
    }

    private func answer(to call: SyncCall, as installation: Installation) async -> WireAnswer {
        switch call {
        case .register(let installation): return await register(installation)
        case .logIn(let login):
            return await ask(identify(login, as: installation), done)
        case .mark(let mark, let targets): return await self.mark(mark, targets, installation)
        case .list(let validator):
            return await ask(list(since: validator, as: installation)) { response in
                if response.status == 304, validator != nil { return .unchanged }
                guard response.status == 200 else { return nil }
                return DevicePage.outcome(response)
            }
        case .changes: preconditionFailure("SyncOptions.asksForChanges is off for this interface")
        }
    }

    package func stream(of credential: InboxCredential) -> Request? { nil }

    package func body(of message: MessageContent, for credential: InboxCredential) -> Request {
        var headers = Headers()
        headers.add("Authorization", credential.authorization)
        let user = "/api/user/\(credential.user)/messages/message/\(message.id.text)/body/"
        return Request(.get, message.device.flatMap { target(of: $0.bodyURL) } ?? user, headers: headers)
    }

    // MARK: Registering

    private func register(_ installation: Installation) async -> WireAnswer {
        let made = await end.send(createChannel())
        guard case .success(let response) = made else { return failure(made) }
        guard [200, 201].contains(response.status), let json = try? JSON.parse(response.body),
            case .string(let text) = json["channel_id"], let channel = ChannelID(text: text)
        else { return WireAnswer(.failed(SyncProblem(response))) }
        return await ask(createUser(on: channel)) { response in
            guard [200, 201].contains(response.status), let json = try? JSON.parse(response.body),
                case .string(let user) = json["user_id"], case .string(let password) = json["password"]
            else { return nil }
            return .registered(InboxCredential(user: user, password: password, channel: channel))
        }
    }

    private func createChannel() -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { body in
                body.object("channel") { channel in
                    channel.member("device_type", end.profile.deviceType)
                    channel.member("opt_in", true)
                    channel.member("background", true)
                    channel.member("set_tags", true)
                    channel.member("tags", end.profile.tags)
                }
            }
        }
        return Request(.post, "/api/channels/", headers: headers(end.app.authorization), body: body)
    }

    private func createUser(on channel: ChannelID) -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { $0.member("\(end.profile.deviceType)_channels", [channel.text]) }
        }
        return Request(.post, "/api/user/", headers: headers(end.app.authorization, channel), body: body)
    }

    // MARK: Requests

    private func identify(_ login: Login, as installation: Installation) -> Request {
        let body = JSONWriter.bytes { writer in
            writer.object { body in
                body.member("device_info", ["device_type": end.profile.deviceType])
                body.object("action") { action in
                    action.member("type", login.person == nil ? "reset" : "identify")
                    if let person = login.person { action.member("named_user_id", person.text) }
                    if let proof = login.proof { action.member("proof", proof) }
                }
            }
        }
        let headers = headers(end.app.authorization, installation.serverChannel)
        return Request(.post, "/api/contacts/identify/v2", headers: headers, body: body)
    }

    private func list(since validator: String?, as installation: Installation) -> Request {
        let credential = installation.credential
        var headers = headers(credential?.authorization, installation.serverChannel)
        if let validator { headers.add("If-Modified-Since", validator) }
        return Request(.get, "/api/user/\(credential?.user ?? "")/messages/", headers: headers)
    }

    private func mark(
        _ mark: MessageMark, _ targets: [MarkTarget], _ installation: Installation
    ) async -> WireAnswer {
        guard mark != .unread else { return refusal("the interface knows no marking as unread") }
        let reportings = targets.compactMap(\.reporting)
        // Told in part, all would pass for told; refused, they come again in smaller parts, down to the one in the way.
        guard reportings.count == targets.count else {
            return refusal("the interface knows a message by its list alone")
        }
        guard let credential = installation.credential else {
            return WireAnswer(.failed(SyncProblem(.unreachable, "the device is not registered yet")))
        }
        let body = JSONWriter.bytes { writer in
            writer.object { body in
                body.array("messages") { list in for reporting in reportings { list.raw(reporting) } }
            }
        }
        let name = mark == .read ? "unread" : "delete"
        let headers = headers(credential.authorization, installation.serverChannel)
        return await ask(
            Request(.post, "/api/user/\(credential.user)/messages/\(name)/", headers: headers, body: body),
            done)
    }

    private func headers(_ authorization: String?, _ channel: ChannelID? = nil) -> Headers {
        var headers = Headers()
        headers.add("X-UA-App-Key", end.app.key)
        headers.add("Accept", "application/vnd.urbanairship+json; version=3;")
        headers.add("Content-Type", "application/json")
        if let authorization { headers.add("Authorization", authorization) }
        if let channel { headers.add("X-UA-Channel-ID", channel.text) }
        return headers
    }

    /// Path and query of an absolute URL below the server's address.
    private func target(of url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        guard let slash = url[scheme.upperBound...].firstIndex(of: "/") else { return nil }
        let path = url[slash...]
        guard path.hasPrefix(end.base.pathPrefix) else { return nil }
        return String(path.dropFirst(end.base.pathPrefix.count))
    }

    // MARK: Answers

    private func ask(_ request: Request, _ read: (Response) -> SyncOutcome?) async -> WireAnswer {
        let sent = await end.send(request)
        guard case .success(let response) = sent else { return failure(sent) }
        return WireAnswer(read(response) ?? .failed(SyncProblem(response)), serverTime: response.serverTime)
    }

    private func refusal(_ reason: String) -> WireAnswer {
        WireAnswer(.failed(SyncProblem(.refused(status: 400), reason)))
    }

    /// A page of somebody between, such as a hotel's, has this status too: then the server was told nothing.
    private func done(_ response: Response) -> SyncOutcome? {
        guard response.status == 200 else { return nil }
        let isAnswer = response.body.isEmpty || (try? JSON.parse(response.body)) != nil
        return isAnswer ? .done : .failed(SyncProblem(unreadable: "it is not JSON", response))
    }

    private func failure(_ sent: Result<Response, SyncProblem>) -> WireAnswer {
        switch sent {
        case .failure(let problem): WireAnswer(.failed(problem))
        case .success(let response): WireAnswer(.failed(SyncProblem(response)))
        }
    }
}
