package import ClientCore
package import HTTPCore
import InboxModel
import InboxWire
import Platform

/// The Martlet API, `/v1`: what changed since a cursor, marks by id, event streams.
package struct MartletWire: Wire {
    private let end: WireEnd
    private let changesPerPage: Int
    /// Reads the messages of an answer; simulated devices share one that knows what it has read before.
    private let reader: any MessageReader

    package init(_ end: WireEnd, changesPerPage: Int = 500, reader: any MessageReader = PlainMessageReader())
    {
        self.end = end
        self.changesPerPage = changesPerPage
        self.reader = reader
    }

    package func perform(_ call: SyncCall, as installation: Installation) async -> WireAnswer {
        switch await end.send(request(for: call, as: installation)) {
        case .failure(let problem): WireAnswer(.failed(problem))
        case .success(let response):
            WireAnswer(outcome(of: call, response), serverTime: response.serverTime)
                .hiding(end.secrets(of: call, as: installation))
        }
    }

    package func stream(of credential: InboxCredential) -> Request? {
        var request = Request(.get, "/v1/inbox/events", headers: headers(credential))
        request.headers.add("Accept", "text/event-stream")
        return request
    }

    package func body(of message: MessageContent, for credential: InboxCredential) -> Request {
        Request(.get, "/v1/inbox/messages/\(message.id.text)/body", headers: headers(credential))
    }

    // MARK: Requests

    private func headers(_ credential: InboxCredential?) -> Headers {
        var headers = Headers()
        if let credential { headers.add("Authorization", credential.authorization) }
        return headers
    }

    /// The request that a call is.
    package func request(for call: SyncCall, as installation: Installation) -> Request {
        var headers = headers(installation.credential)
        switch call {
        case .register(let installation): return registration(of: installation)
        case .logIn(let login): return self.login(login, headers)
        case .mark(let mark, let targets):
            let body = JSONWriter.bytes { writer in
                writer.object { body in
                    body.array("ids") { list in for target in targets { list.value(target.id) } }
                }
            }
            return json(.post, "/v1/inbox/\(mark.rawValue)", headers, body)
        case .list(let validator):
            if let validator { headers.add("If-None-Match", validator) }
            return Request(.get, "/v1/inbox", headers: headers)
        case .changes(let cursor):
            // Of ours the letters stand for themselves; what another server made must not become a part of the address.
            let since = percentEncoded(cursor)
            return Request(
                .get, "/v1/inbox/changes?since=\(since)&limit=\(changesPerPage)", headers: headers)
        }
    }

    private func registration(of installation: Installation) -> Request {
        var headers = Headers()
        headers.add("Authorization", end.app.authorization)
        let body = JSONWriter.bytes { writer in
            writer.object { body in
                body.member("password", installation.secret)
                body.member("device_type", end.profile.deviceType)
                if !end.profile.tags.isEmpty { body.member("tags", end.profile.tags) }
            }
        }
        return json(.put, "/v1/channels/\(installation.channel.text)", headers, body)
    }

    private func login(_ login: Login, _ headers: Headers) -> Request {
        let path = "/v1/session/named-user"
        guard let person = login.person else { return Request(.delete, path, headers: headers) }
        let body = JSONWriter.bytes { writer in
            writer.object { body in
                body.member("named_user_id", person.text)
                if let proof = login.proof { body.member("proof", proof) }
            }
        }
        return json(.put, path, headers, body)
    }

    private func json(_ method: Method, _ path: String, _ headers: Headers, _ body: [UInt8]) -> Request {
        var headers = headers
        headers.add("Content-Type", "application/json")
        return Request(method, path, headers: headers, body: body)
    }

    // MARK: Answers

    /// What an answer to a call means.
    package func outcome(of call: SyncCall, _ response: Response) -> SyncOutcome {
        if response.status == 304, case .list(.some) = call { return .unchanged }
        guard response.status == 200 || response.status == 201 || response.status == 204 else {
            return .failed(SyncProblem(response))
        }
        switch call {
        case .register(let installation):
            guard let json = try? JSON.parse(response.body), case .string(let user) = json["user_id"] else {
                return .failed(SyncProblem(unreadable: "there is no user_id", response))
            }
            return .registered(InboxCredential(user: user, password: installation.secret))
        case .logIn, .mark:
            // A page of somebody between, such as a hotel's, has this status too: then the server was told nothing.
            guard let json = try? JSON.parse(response.body), case .string = json["cursor"] else {
                return .failed(SyncProblem(unreadable: "there is no cursor", response))
            }
            return .done
        case .list:
            return page(response) { try MartletPage.list($0, response, reader) }
        case .changes:
            return page(response) { try MartletPage.changes($0, reader) }
        }
    }

    private func page(_ response: Response, _ read: ([UInt8]) throws -> SyncPage) -> SyncOutcome {
        do {
            return .page(try read(response.body))
        } catch {
            return .failed(SyncProblem(unreadable: "\(error)", response))
        }
    }
}
