package import Platform

/// Things that are due at times to come: the earliest first, of one time the one that was put down first.
package struct Agenda<Item: Sendable>: Sendable {
    /// A heap: none is due before the one at half its place.
    private var entries: [Entry] = []
    private var count = 0

    private struct Entry {
        let due: Instant
        let order: Int
        let item: Item

        func precedes(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : order < other.order
        }
    }

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// Puts something down.
    package mutating func add(_ item: Item, at due: Instant) {
        count += 1
        entries.append(Entry(due: due, order: count, item: item))
        var place = entries.count - 1
        while place > 0, entries[place].precedes(entries[(place - 1) / 2]) {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Takes what is due next.
    package mutating func next() -> (due: Instant, item: Item)? {
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
            let children = [2 * place + 1, 2 * place + 2].filter { $0 < entries.count }
            guard let child = children.min(by: { entries[$0].precedes(entries[$1]) }),
                entries[child].precedes(entries[place])
            else { return }
            entries.swapAt(place, child)
            place = child
        }
    }
}
