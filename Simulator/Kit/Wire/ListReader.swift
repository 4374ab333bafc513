import Foundation
import InboxModel

/// A message of a list, known by its number.
package struct ReadMessage: Sendable {
    package let listed: Listed
    package let sent: Int64
    /// Where its body is, as path and query.
    package let bodyTarget: String
}

/// What a list says, or what is wrong with it.
package struct ReadList: Sendable {
    package var messages: [ReadMessage] = []
    package var faults: [(kind: Difference.Kind, message: Int?, detail: String)] = []
    /// Whether the list as a whole can be trusted to be what the server meant.
    package var isReadable = true
}

/// Reads lists as the strictest client does, each spelling of a message once.
package struct ListReader: Sendable {
    private let composition: Composition
    private var known: [Spelling: ReadMessage] = [:]
    private var envelopes: [[UInt8]: Envelope] = [:]
    /// Spellings kept; beyond, all are forgotten and read anew, which costs time only.
    private static let spellingsKept = 400_000
    /// Likewise; they differ by counts only.
    private static let envelopesKept = 10_000

    private struct Spelling: Hashable {
        let hash: UInt64
        let bytes: Int
    }

    package init(composition: Composition) { self.composition = composition }

    /// Reads the body of a 200; a message that is seen for the first time is made known to the ledger.
    package mutating func read(_ body: [UInt8], _ ledger: inout Ledger) -> ReadList {
        let parts = ListSplitter(body)
        var list = ReadList()
        let envelope: Envelope
        do {
            envelope = try self.envelope(parts.envelope)
        } catch {
            list.isReadable = false
            list.faults.append((.form, nil, "\(error)"))
            return list
        }
        guard envelope.messages.count == parts.messages.count else {
            list.isReadable = false
            list.faults.append((.form, nil, "something else than objects among the messages"))
            return list
        }
        for (range, hash) in zip(parts.messages, parts.hashes) {
            let spelling = Spelling(hash: hash, bytes: range.count)
            guard let message = known[spelling] else {
                decode(body[range], spelling, &ledger, into: &list)
                continue
            }
            list.messages.append(message)
        }
        list.faults += faults(of: list, badge: envelope.badge)
        return list
    }

    // MARK: Parts

    private mutating func decode(
        _ bytes: ArraySlice<UInt8>, _ spelling: Spelling, _ ledger: inout Ledger, into list: inout ReadList
    ) {
        let message: StrictMessage
        do {
            message = try JSONDecoder().decode(StrictMessage.self, from: Data(bytes))
        } catch {
            list.isReadable = false
            return list.faults.append((.form, nil, "\(error) in \(String(decoding: bytes, as: UTF8.self))"))
        }
        guard let serial = composition.serial(in: message.extra) else {
            return list.faults.append((.unknown, nil, "id \(message.id.text), title \(message.title)"))
        }
        switch ledger.identify(serial, as: message.id) {
        case .failure(.unknown): list.faults.append((.unknown, nil, "id \(message.id.text)"))
        case .failure(.sentTwice): list.faults.append((.sentTwice, serial, "also as id \(message.id.text)"))
        case .success(let number):
            if let detail = wrongContent(of: message, number, ledger.messages[number]) {
                return list.faults.append((.content, number, detail))
            }
            ledger.messages[number].reporting = message.reporting
            let read = ReadMessage(
                listed: Listed(number, isUnread: message.isUnread), sent: message.sent,
                bodyTarget: target(of: message.bodyURL))
            if known.count >= ListReader.spellingsKept { known.removeAll() }
            known[spelling] = read
            list.messages.append(read)
        }
    }

    private func wrongContent(of message: StrictMessage, _ number: Int, _ sent: SentMessage) -> String? {
        if message.title != composition.title(number) { return "title \(message.title)" }
        if message.extra != composition.extra(number) { return "extra \(message.extra)" }
        if message.contentType != "text/html" { return "content type \(message.contentType)" }
        guard let lifeSeconds = sent.lifeSeconds else { return nil }
        guard let expires = message.expires, abs(expires - message.sent - lifeSeconds) <= 1 else {
            return "expiry is not \(lifeSeconds) s after it was sent"
        }
        return nil
    }

    /// What is wrong with the list although each message is right.
    private func faults(
        of list: ReadList, badge: Int?
    ) -> [(kind: Difference.Kind, message: Int?, detail: String)] {
        var faults: [(kind: Difference.Kind, message: Int?, detail: String)] = []
        for (one, next) in zip(list.messages, list.messages.dropFirst()) where one.sent < next.sent {
            faults.append((.order, next.listed.message, "is newer than the message above it"))
        }
        let unread = list.messages.count { $0.listed.isUnread }
        if let badge, list.isReadable, list.faults.isEmpty, badge != unread {
            faults.append((.content, nil, "badge \(badge) for \(unread) unread messages"))
        }
        return faults
    }

    private mutating func envelope(_ bytes: [UInt8]) throws -> Envelope {
        if let envelope = envelopes[bytes] { return envelope }
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(bytes))
        if envelopes.count >= ListReader.envelopesKept { envelopes.removeAll() }
        envelopes[bytes] = envelope
        return envelope
    }

    /// Path and query of a URL, without what the base puts before each path.
    private func target(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return url.query(percentEncoded: true).map { "\(path)?\($0)" } ?? path
    }
}

/// What is around the messages; each of them reads as 0.
private struct Envelope: Decodable {
    let badge: Int?
    let messages: [Int]
}
