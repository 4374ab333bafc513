import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform

/// A server that keeps all that happened as lines of a file, so that it outlives the process that asks it.
struct ProbeServer {
    private(set) var messages: [Int: Message] = [:]
    private(set) var person: NamedUserID?
    /// Marks that the server was told of, in order.
    private(set) var told: [String] = []
    private var touched: [Int] = []
    private let log: FileHandle?

    /// A message, as everybody who sees it sees it.
    struct Message: Hashable {
        /// Whose inbox holds it; nobody's if it is the device's.
        var owner: NamedUserID?
        var isUnread = true
        var isDeleted = false
    }

    /// - Parameter log: where new lines go; without it the server is only looked at.
    init(log: FileHandle? = nil) { self.log = log }

    /// What happens to the server besides requests.
    mutating func happen(_ line: String) {
        // One write for a line: a process that is killed has written it, or not.
        log?.write(Data((line + "\n").utf8))
        take(line)
    }

    /// Takes a line of the file.
    mutating func take(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        let number = words.count > 1 ? Int(words[1]) : nil
        switch (words[0], number) {
        case ("login", _): person = words.count > 1 ? NamedUserID(stored: words[1]) : nil
        case ("send", let number?):
            let owner = words.count > 2 ? NamedUserID(stored: words[2]) : nil
            change(number) { $0 = Message(owner: owner) }
        case ("drop", let number?):
            for old in messages.keys where old < number { change(old) { $0 = nil } }
        case (let mark, let number?):
            told.append(line)
            change(number) { $0?.take(mark) }
        default: break
        }
    }

    private mutating func change(_ number: Int, _ change: (inout Message?) -> Void) {
        change(&messages[number])
        touched.append(number)
    }

    /// Rows of the view of whoever is logged in.
    var rows: [MessageRow] { messages.keys.sorted().compactMap(row) }

    private func row(_ number: Int) -> MessageRow? {
        guard let message = messages[number], !message.isDeleted,
            message.owner == nil || message.owner == person
        else { return nil }
        var words = MessageContent.Words()
        words.title = "Message \(number)"
        let content = MessageContent(
            ProbeServer.id(number), words: words, sent: Instant(seconds: 1_700_000_000 + Int64(number)),
            expires: nil)
        return MessageRow(
            content, isUnread: message.isUnread, place: message.owner == nil ? .device : .person)
    }

    static func id(_ number: Int) -> MessageID { MessageID(high: 1, low: UInt64(number)) }

    /// Answers a call.
    mutating func answer(_ call: SyncCall) -> SyncOutcome {
        switch call {
        case .register(let installation):
            return .registered(InboxCredential(user: "user", password: installation.secret))
        case .logIn(let login):
            happen(login.person.map { "login \($0.text)" } ?? "login")
            return .done
        case .mark(let mark, let targets):
            for target in targets { happen("\(mark.rawValue) \(target.id.halves.low)") }
            return .done
        case .list: return .page(whole)
        case .changes(let cursor): return .page(changes(since: cursor))
        }
    }

    private var cursor: String { "\(person?.text ?? "-").\(touched.count)" }

    private var whole: SyncPage {
        var page = SyncPage()
        (page.changed, page.isWhole, page.cursor) = (rows, true, cursor)
        return page
    }

    private func changes(since cursor: String) -> SyncPage {
        let parts = cursor.split(separator: ".")
        guard parts[0] == person?.text ?? "-", let count = Int(parts[1]) else { return whole }
        let numbers = Set(touched[count...])
        var page = SyncPage()
        page.changed = numbers.sorted().compactMap(row)
        page.removed = numbers.sorted().filter { row($0) == nil }.map(ProbeServer.id)
        page.cursor = self.cursor
        return page
    }
}

extension ProbeServer.Message {
    fileprivate mutating func take(_ mark: String) {
        switch mark {
        case "read": isUnread = false
        case "unread": isUnread = true
        default: isDeleted = true
        }
    }
}
