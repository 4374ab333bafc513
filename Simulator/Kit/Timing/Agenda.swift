/// Things that are due at times to come: the earliest first, of one time the one that was put down first.
///
/// A heap, so that a device at rest costs a few bytes.
package struct Agenda<Time: Comparable & Sendable, Item: Sendable>: Sendable {
    /// None is due before the one at half its place.
    private var entries: [Entry] = []
    private var count = 0

    private struct Entry {
        let due: Time
        let order: Int
        let item: Item

        func precedes(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : order < other.order
        }
    }

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// When the next thing is due; nothing if there is none.
    package var nextDue: Time? { entries.first?.due }

    /// Puts something down.
    package mutating func add(_ item: Item, at due: Time) {
        count += 1
        entries.append(Entry(due: due, order: count, item: item))
        var place = entries.count - 1
        while place > 0, entries[place].precedes(entries[(place - 1) / 2]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Takes what is due next.
    package mutating func next() -> (due: Time, item: Item)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return (first.due, first.item)
    }

    private mutating func sink() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
                if entries[child].precedes(entries[least]) { least = child }
            }
            guard least != place else { return }
            entries.swapAt(place, least)
            place = least
        }
    }
}
