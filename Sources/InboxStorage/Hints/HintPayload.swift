import InboxModel
import InboxService

/// Hints as the text of a notification: who gives them, and numbers to base 36.
///
/// `1 5k3 2=1a,1b 3! 4? ?` says: in format 1, instance 5k3 knows of changes in the inboxes 1a and 1b of app 2, in all
/// views of app 3, in some of app 4, and anywhere. Without hints it says that the instance wants to hear of them.
struct HintPayload: Equatable {
    let instance: UInt64
    var batch = HintBatch()

    /// PostgreSQL takes less than 8,000 bytes.
    static let mostBytes = 7_900
    /// Inboxes that are named, in about three payloads; instead of more, their apps are.
    static let mostInboxes = 3_000

    private static let format = "1"

    init(instance: UInt64) { self.instance = instance }

    /// Reads a payload; nothing if it is of another format.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 2, words[0] == HintPayload.format, let instance = UInt64(words[1], radix: 36)
        else {
            return nil
        }
        self.instance = instance
        for word in words.dropFirst(2) { guard read(word) else { return nil } }
    }

    private mutating func read(_ word: Substring) -> Bool {
        if word == "?" {
            batch.doubtAll()
            return true
        }
        guard let end = word.firstIndex(where: { "=!?".contains($0) }),
            let number = Int32(word[..<end], radix: 36)
        else { return false }
        let app = AppID(rawValue: number)
        switch word[end] {
        case "!": batch.add(app)
        case "?": batch.doubt(app)
        default:
            let inboxes = word[word.index(after: end)...].split(separator: ",").compactMap {
                Int64($0, radix: 36).map(InboxID.init(rawValue:))
            }
            batch.add(inboxes, of: app)
        }
        return true
    }

    /// The payloads that carry a batch, each within PostgreSQL's limit; at least one.
    static func texts(of batch: HintBatch, from instance: UInt64) -> [String] {
        var writer = Writer(head: "\(format) \(String(instance, radix: 36))")
        var batch = batch
        var byApp: [AppID: Set<InboxID>] = [:]
        for key in batch.inboxes { byApp[key.app, default: []].insert(key.inbox) }
        if byApp.values.reduce(0, { $0 + $1.count }) > mostInboxes {
            for app in byApp.keys { batch.doubt(app) }
            byApp = [:]
        }
        if batch.isAllDoubtful { writer.add(word: "?") }
        for app in batch.apps.sorted() { writer.add(word: "\(app.base36)!") }
        for app in batch.doubtfulApps.sorted() { writer.add(word: "\(app.base36)?") }
        for (app, inboxes) in byApp.sorted(by: { $0.key < $1.key }) {
            writer.begin("\(app.base36)=")
            for inbox in inboxes.sorted() { writer.add(item: String(inbox.rawValue, radix: 36)) }
        }
        return writer.texts
    }
}

/// Puts words together to texts of bounded size.
private struct Writer {
    let head: String
    private(set) var texts: [String]
    /// What stands before a list.
    private var listHead = ""
    private var isListBegun = false

    init(head: String) {
        self.head = head
        texts = [head]
    }

    /// A word of its own.
    mutating func add(word: String) { put(" " + word, " " + word) }

    /// Begins a list, whose items follow.
    mutating func begin(_ head: String) {
        listHead = head
        isListBegun = false
    }

    /// An item of the list.
    mutating func add(item: String) {
        let first = " " + listHead + item
        put(isListBegun ? "," + item : first, first)
        isListBegun = true
    }

    /// Appends `next`, or begins another text with `first`.
    private mutating func put(_ next: String, _ first: String) {
        let last = texts.count - 1
        if texts[last].utf8.count + next.utf8.count <= HintPayload.mostBytes {
            texts[last] += next
        } else {
            texts.append(head + first)
        }
    }
}

extension AppID {
    fileprivate var base36: String { String(rawValue, radix: 36) }
}
