package import InboxModel

/// Who is to be logged in, and by what proof.
package struct Login: Hashable, Sendable {
    /// Nobody, to be logged out.
    package var person: NamedUserID?
    /// What the app's backend signed for it; nothing where a device's word suffices.
    package var proof: String?

    package init(_ person: NamedUserID?, proof: String? = nil) {
        self.person = person
        self.proof = proof
    }
}

/// A mark that the server was not yet told of.
package struct PendingMark: Hashable, Sendable {
    /// Grows with each mark of the installation.
    package let number: Int64
    package let message: MessageID
    package let mark: MessageMark
    /// What the device interface knows the message by, since it may be held no more when the mark is told.
    package let reporting: [UInt8]?

    package init(
        _ number: Int64, _ message: MessageID, _ mark: MessageMark, reporting: [UInt8]? = nil
    ) {
        self.number = number
        self.message = message
        self.mark = mark
        self.reporting = reporting
    }
}

/// What was done while one person, or nobody, was logged in.
package struct Stretch: Hashable, Sendable {
    package var login: Login
    package var marks: [PendingMark] = []

    package init(_ login: Login, marks: [PendingMark] = []) {
        self.login = login
        self.marks = marks
    }
}

/// What the server is yet to be told, in order: logins, and between them the marks that belong to each.
///
/// A mark is sent while that person is logged in under whom it was made. Logins between which nothing was done are not
/// told: the last one counts.
package struct Outbox: Hashable, Sendable {
    /// Never empty; the last one is now.
    package private(set) var stretches: [Stretch] = [Stretch(Login(nil))]
    /// The number of the last mark there ever was.
    package private(set) var lastNumber: Int64 = 0

    package init() {}

    /// An outbox as it was kept.
    package init(_ stretches: [Stretch], lastNumber: Int64) {
        if !stretches.isEmpty { self.stretches = stretches }
        let largest = self.stretches.lazy.flatMap(\.marks).map(\.number).max() ?? 0
        self.lastNumber = max(lastNumber, largest)
    }

    /// What comes first.
    package var head: Stretch { stretches[0] }
    /// Who is logged in as far as this device is concerned.
    package var login: Login { stretches[stretches.count - 1].login }
    /// Marks that wait.
    package var count: Int { stretches.reduce(0) { $0 + $1.marks.count } }

    /// Somebody else is logged in from now on.
    package mutating func begin(_ login: Login) {
        while let last = stretches.last, last.marks.isEmpty { stretches.removeLast() }
        if let last = stretches.indices.last, stretches[last].login.person == login.person {
            stretches[last].login = login
        } else {
            stretches.append(Stretch(login))
        }
    }

    /// The first login is another than it was: it was refused, or somebody else changed it.
    package mutating func changeHead(to login: Login) {
        stretches[0].login = login
        guard stretches.count > 1, stretches[1].login.person == login.person else { return }
        stretches[1].marks = (stretches[0].marks + stretches[1].marks).sorted { $0.number < $1.number }
        stretches.removeFirst()
    }

    /// Nothing of the first login is left to tell.
    package mutating func dropHead() {
        guard stretches.count > 1, stretches[0].marks.isEmpty else { return }
        stretches.removeFirst()
    }

    /// A mark that is made now; what it makes idle among those of `isIdle` numbers goes.
    package mutating func add(_ mark: PendingMark, replacing isIdle: (PendingMark) -> Bool) {
        lastNumber = max(lastNumber, mark.number)
        let last = stretches.count - 1
        stretches[last].marks.removeAll { old in
            old.message == mark.message && isIdle(old) && (old.mark != .delete || mark.mark == .delete)
        }
        stretches[last].marks.append(mark)
    }

    /// Marks that were made under a login which is not the last one; false if nobody can tell them under it any more.
    ///
    /// - Parameter isConfirmed: whether the server still has that person logged in.
    package mutating func insert(_ stretch: Stretch, isConfirmed: Bool) -> Bool {
        let person = stretch.login.person
        if isConfirmed, !stretches.contains(where: { $0.login.person == person }) {
            stretches.insert(Stretch(stretch.login), at: 0)
        }
        guard let index = stretches.lastIndex(where: { $0.login.person == person }) else { return false }
        for mark in stretch.marks {
            let isDeleted = stretches[index].marks.contains {
                $0.message == mark.message && $0.mark == .delete
            }
            if isDeleted { continue }
            lastNumber += 1
            stretches[index].marks.append(
                PendingMark(lastNumber, mark.message, mark.mark, reporting: mark.reporting))
        }
        return true
    }

    /// Marks that the server has been told of.
    package mutating func remove(_ numbers: Set<Int64>) {
        for index in stretches.indices { stretches[index].marks.removeAll { numbers.contains($0.number) } }
    }

    /// The marks to tell next, all of one kind; none stands behind another kind's of the same message.
    package func batch(atMost most: Int) -> [PendingMark] {
        guard let first = head.marks.first else { return [] }
        var (batch, blocked): ([PendingMark], Set<MessageID>) = ([], [])
        for mark in head.marks where batch.count < most {
            if mark.mark == first.mark, !blocked.contains(mark.message) {
                batch.append(mark)
            } else {
                blocked.insert(mark.message)
            }
        }
        return batch
    }
}
