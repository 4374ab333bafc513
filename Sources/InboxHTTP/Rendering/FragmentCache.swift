import InboxModel
import InboxService

/// What a fragment is of: bytes of some forms hold absolute URLs, so those rendered for another base are others.
struct FragmentKey: Hashable {
    var app: AppID
    var message: MessageID
    var place: UInt64

    init(app: AppID, message: MessageID, form: ListForm) {
        self.app = app
        self.message = message
        place = form.place
    }

    // The id is random: the other two tell next to nothing apart.
    func hash(into hasher: inout Hasher) { hasher.combine(message) }
}

/// Fragments in one packed buffer with an index over it; bounded by two generations, like `RecentCache`.
///
/// A list is then a few copies, and no reference is counted per message.
struct FragmentCache {
    private let limitBytes: Int
    private var current = Generation()
    private var previous = Generation()

    private struct Generation {
        var bytes: [UInt8] = []
        var index: [FragmentKey: Fragment] = [:]
    }

    private struct Fragment {
        var start: Int
        var count: Int
        var facts: MessageFacts
    }

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// The facts of a message whose fragment is here, which thereby stays.
    mutating func facts(_ key: FragmentKey) -> MessageFacts? {
        if let fragment = current.index[key] { return fragment.facts }
        guard let fragment = previous.index[key] else { return nil }
        let bytes = previous.bytes[fragment.start..<fragment.start + fragment.count]
        append(bytes, key, fragment.facts)
        return fragment.facts
    }

    /// Appends the bytes of a fragment that `facts` found, without suspension in between.
    func append(_ key: FragmentKey, to bytes: inout [UInt8]) {
        guard let fragment = current.index[key] else { preconditionFailure("`facts` has found it just now") }
        bytes += current.bytes[fragment.start..<fragment.start + fragment.count]
    }

    /// About what a fragment takes.
    var meanBytes: Int { current.bytes.count / max(current.index.count, 1) }

    /// Renders and keeps heads; all of them are there afterwards, the oldest others perhaps not.
    mutating func add(_ heads: [MessageHead], app: AppID, form: ListForm) {
        if current.bytes.count > limitBytes / 2 {
            previous = current
            current = Generation()
        }
        for head in heads {
            let key = FragmentKey(app: app, message: head.id, form: form)
            guard current.index[key] == nil else { continue }
            append(form.fragment(of: head)[...], key, MessageFacts(head))
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>, _ key: FragmentKey, _ facts: MessageFacts) {
        current.index[key] = Fragment(start: current.bytes.count, count: bytes.count, facts: facts)
        current.bytes += bytes
    }
}
