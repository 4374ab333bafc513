import HTTPCore
import InboxWire
import Platform

/// A fault of a server, put in on purpose where its answers leave it: no store is asked there.
enum DoorFault: String, Sendable, CaseIterable {
    /// A page that follows another begins one message too late.
    case shortPage
    /// A message that is gone is still told of to who asked for it alone before.
    case goneMessage
    /// A message that is asked for alone is unread, whoever has read it.
    case unreadMessage
    /// A message that was asked for alone is told of to whoever else asks.
    case openMessage
    /// Of the questions for one message every fifth finds none.
    case lostMessage
    /// Event streams never tell of a change.
    case silentStream
}

/// Where answers leave a server, with a fault or none.
final class PlantedDoor: Sendable {
    private let fault: DoorFault?
    private let memory = Lock(Memory())

    private struct Memory {
        /// The first answers to questions for one message, by whom they were for.
        var told: [String: Response] = [:]
        var questions = 0
    }

    init(_ fault: DoorFault?) { self.fault = fault }

    /// What leaves in place of an answer.
    func answer(_ response: Response, to request: Request) throws -> Response {
        switch fault {
        case .shortPage: try shortened(response, request)
        case .goneMessage, .openMessage: isOfOneMessage(request) ? kept(response, request) : response
        case .lostMessage: isOfOneMessage(request) ? found(response) : response
        case .unreadMessage: isOfOneMessage(request) ? try unread(response) : response
        case .silentStream, nil: response
        }
    }

    /// Whether a piece of an event stream leaves.
    func lets(_ piece: [UInt8]) -> Bool {
        fault != .silentStream || !String(decoding: piece, as: UTF8.self).contains("event: changed")
    }

    private func isOfOneMessage(_ request: Request) -> Bool {
        request.path.hasPrefix("/v1/inbox/messages/") && !request.path.hasSuffix("/body")
    }

    /// What was told first in place of what is not there any more.
    private func kept(_ response: Response, _ request: Request) -> Response {
        let reader = fault == .openMessage ? "" : request.headers["Authorization"] ?? ""
        return memory.withLock { memory in
            let first = memory.told[reader + request.path]
            if first == nil, response.status == 200 { memory.told[reader + request.path] = response }
            return response.status == 404 ? first ?? response : response
        }
    }

    private func found(_ response: Response) -> Response {
        memory.withLock { memory in
            memory.questions += 1
            return memory.questions.isMultiple(of: 5) ? Response(status: 404) : response
        }
    }

    private func unread(_ response: Response) throws -> Response {
        guard case .object(var members) = try JSON.parse(response.body),
            let place = members.firstIndex(where: { $0.name == "unread" })
        else { return response }
        members[place].value = .bool(true)
        var response = response
        response.body = JSONWriter.bytes { $0.value(.object(members)) }
        return response
    }

    /// A page that begins one message too late, if it is one that follows another.
    private func shortened(_ response: Response, _ request: Request) throws -> Response {
        guard response.status == 200, request.path == "/v1/inbox", !request.queryValues("before").isEmpty,
            case .object(var members) = try JSON.parse(response.body),
            case .array(let messages)? = members.first?.value
        else { return response }
        var response = response
        members[0].value = .array(Array(messages.dropFirst()))
        response.body = JSONWriter.bytes { $0.value(.object(members)) }
        return response
    }
}
