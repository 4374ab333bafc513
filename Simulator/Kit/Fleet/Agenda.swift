/// What is due when, of many thousand devices: a heap, so that a device at rest costs a few bytes.
struct Agenda {
    /// Something that a device is to do.
    struct Item {
        let due: Duration
        /// Tells what is due at the same time apart, in the order in which it was put down.
        let order: UInt64
        let device: Int32
        let matter: Matter
    }

    enum Matter: Hashable {
        case arrive
        /// Its user takes it up.
        case use
        /// The network is there again.
        case reconnect
        /// Its core asked for it, and has not asked for another time since.
        case wake(UInt32)
    }

    private var heap: [Item] = []
    private var count: UInt64 = 0

    /// When the next thing is due.
    var next: Duration? { heap.first?.due }

    mutating func add(_ matter: Matter, of device: Int, at due: Duration) {
        count += 1
        heap.append(Item(due: due, order: count, device: Int32(device), matter: matter))
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard Agenda.isBefore(heap[index], heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    /// Takes what is due by now; nothing if nothing is.
    mutating func take(at now: Duration) -> Item? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        sink()
        return first
    }

    mutating func removeAll() { heap = [] }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if Agenda.isBefore(heap[child], heap[least]) { least = child }
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private static func isBefore(_ one: Item, _ other: Item) -> Bool {
        one.due != other.due ? one.due < other.due : one.order < other.order
    }
}
