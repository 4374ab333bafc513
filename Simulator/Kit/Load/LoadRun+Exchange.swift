import Foundation
import HTTPCore
import InboxWire
import Platform

/// A response and the time between its request's start and its arrival.
struct Answer {
    let response: Response
    let span: Span
}

/// No answer that tells whether the server acted: connection lost, 5xx, or the wish to be asked later.
struct Unanswered: Error {}

/// What a request was, for a reader of a refusal.
struct Asked {
    let name: String
    let device: Int?
}

extension LoadRun {
    /// Sends a request once.
    ///
    /// - Throws: `Unanswered` if whether the server acted is not known, `RunEnd` if the run is over.
    func exchange(_ call: Call, _ request: Request) async throws -> Answer {
        if isServerAway { throw RunEnd.serverAway }
        let (start, began) = (moment(), clock.now())
        let response: Response
        do {
            response = try await transport.send(request, to: base)
        } catch {
            throw unanswered()
        }
        measurements.count(call, status: response.status, after: clock.now() - began)
        guard response.status < 500 else { throw unanswered() }
        outage.ended(at: clock.now())
        guard response.status != 429 else {
            measurements.countUnanswered()
            throw Unanswered()
        }
        return Answer(response: response, span: Span(start: start, end: moment()))
    }

    /// Sends a request until it is answered, with growing pauses: only what may be done twice.
    func persist(_ call: Call, _ make: () -> Request) async throws -> Answer {
        var attempts = 0
        while true {
            do {
                return try await exchange(call, make())
            } catch is Unanswered {
                attempts += 1
                try await clock.sleep(for: backOff(attempts))
            }
        }
    }

    /// How long to wait after so many vain attempts.
    func backOff(_ attempts: Int) -> Duration { dice.backOff(after: attempts) }

    private func unanswered() -> any Error {
        measurements.countUnanswered()
        guard outage.failed(at: clock.now(), limit: options.rideOut) else { return Unanswered() }
        isServerAway = true
        return RunEnd.serverAway
    }

    // MARK: What an answer must be

    /// Takes note of an answer whose status is none of those that are right.
    func expect(_ statuses: [Int], _ answer: Answer, to asked: Asked) throws {
        guard !statuses.contains(answer.response.status) else { return }
        let text = String(decoding: answer.response.body.prefix(300), as: UTF8.self)
        refuse(asked, "\(answer.response.status) \(text)")
        throw RunEnd.refused
    }

    /// Decodes what a client would need.
    func decode<Body: Decodable>(_ type: Body.Type, _ answer: Answer, to asked: Asked) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: Data(answer.response.body))
        } catch {
            refuse(asked, "\(error)")
            throw RunEnd.refused
        }
    }

    func refuse(_ asked: Asked, _ detail: String) {
        findings.add(
            Difference(
                .refusal, device: asked.device, in: (asked.name, elapsed.milliseconds), detail: detail))
    }

    func nonce() -> Nonce {
        let (high, low) = (dice.next(), dice.next())
        return Nonce(uuid: uuid(high, low).uuidString.lowercased(), timestamp: clock.wall().secondsText + "Z")
    }

    private func uuid(_ high: UInt64, _ low: UInt64) -> UUID {
        func byte(_ half: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (index * 8)) }
        // Version 4, variant 1, as the devices' own.
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1),
                byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
