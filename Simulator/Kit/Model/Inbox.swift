/// What is known of one message in one inbox.
struct Holding: Hashable, Sendable {
    let message: Int32
    /// That the message was delivered here; never for a mark of a broadcast, unless a list proved that it is visible.
    var exists = Fact()
    var read = Fact()
    var deleted = Fact()
    /// Since when it is known to have fallen out: gone like what was deleted.
    var fallen = Stamp.never

    init(message: Int) { self.message = Int32(message) }
}

/// The inbox of a device or a person: all it ever held, since what is gone must stay gone.
struct Inbox: Sendable {
    /// In the order of the messages' numbers.
    private(set) var holdings: [Holding] = []

    /// Where a message is held; nothing if it is not.
    func index(of message: Int) -> Int? {
        let place = place(of: message)
        return place < holdings.count && holdings[place].message == Int32(message) ? place : nil
    }

    subscript(index: Int) -> Holding {
        get { holdings[index] }
        set { holdings[index] = newValue }
    }

    /// Changes what is known of a message, which is held from now on.
    mutating func update(_ message: Int, _ change: (inout Holding) -> Void) {
        let place = place(of: message)
        if place == holdings.count || holdings[place].message != Int32(message) {
            holdings.insert(Holding(message: message), at: place)
        }
        change(&holdings[place])
    }

    /// Changes what is known of a message, if it is held.
    mutating func updateIfHeld(_ message: Int, _ change: (inout Holding) -> Void) {
        guard let index = index(of: message) else { return }
        change(&holdings[index])
    }

    private func place(of message: Int) -> Int {
        // Nearly always at the end: messages arrive in the order of their numbers.
        guard let last = holdings.last, last.message >= Int32(message) else { return holdings.count }
        var (low, high) = (0, holdings.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if holdings[middle].message < Int32(message) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
