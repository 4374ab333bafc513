import InboxModel
import Platform

/// What the server is yet to be told: stretches by their numbers, marks by theirs.
extension StoreWriter {
    /// Somebody else is logged in: as `Outbox.begin`.
    func begin(_ login: Login) throws(StoreError) {
        try run("DELETE FROM stretches WHERE number > (SELECT coalesce(max(stretch), 0) FROM marks)")
        guard let last = try stretches().last, last.person == login.person else {
            return try append(login)
        }
        try set(login, of: last.number)
    }

    /// The first login is another: as `Outbox.changeHead`.
    func changeHead(to login: Login) throws(StoreError) {
        let all = try stretches()
        guard let head = all.first else { return }
        try set(login, of: head.number)
        guard all.count > 1, all[1].person == login.person else { return }
        try run(
            "UPDATE marks SET stretch = ?2 WHERE stretch = ?1", .integer(head.number), .integer(all[1].number)
        )
        try run("DELETE FROM stretches WHERE number = ?1", .integer(head.number))
    }

    /// Nothing of the first login is left to tell: as `Outbox.dropHead`.
    func dropHead() throws(StoreError) {
        try run(
            """
            DELETE FROM stretches
            WHERE number = (SELECT min(number) FROM stretches) AND (SELECT count(*) FROM stretches) > 1
                AND number NOT IN (SELECT stretch FROM marks)
            """)
    }

    /// A mark that is made now, and what it makes idle: as `Outbox.add`.
    func add(_ mark: PendingMark, replacing idle: Set<Int64>) throws(StoreError) {
        for number in idle.sorted() {
            try run(
                """
                DELETE FROM marks
                WHERE number = ?1 AND message = ?2 AND stretch = (SELECT max(number) FROM stretches)
                    AND (mark <> 'delete' OR ?3 = 'delete')
                """, .integer(number), .text(mark.message.text), .text(mark.mark.rawValue))
        }
        try run(
            """
            INSERT INTO marks (number, stretch, message, mark, reporting)
            VALUES (?1, (SELECT max(number) FROM stretches), ?2, ?3, ?4)
            """, .integer(mark.number), .text(mark.message.text), .text(mark.mark.rawValue),
            SQLiteValue(mark.reporting))
        try run("UPDATE state SET last_mark = max(last_mark, ?1)", .integer(mark.number))
    }

    /// Makes rows say what marks said of them: as `StoredInbox.settle`.
    func settle(_ numbers: Set<Int64>) throws(StoreError) {
        let rowsOfMark = """
            message IN (SELECT m.number FROM messages m JOIN marks ON marks.message = m.id WHERE marks.number = ?1)
                AND (place <> 'person' OR view IN (
                    SELECT v.number
                    FROM marks JOIN stretches s ON s.number = stretch JOIN views v ON v.person IS s.person
                    WHERE marks.number = ?1))
            """
        for number in try inOrder(numbers) {
            try run(
                "DELETE FROM rows WHERE (SELECT mark FROM marks WHERE number = ?1) = 'delete' AND \(rowsOfMark)",
                .integer(number))
            try run(
                """
                UPDATE rows SET is_unread = (SELECT mark FROM marks WHERE number = ?1) = 'unread'
                WHERE (SELECT mark FROM marks WHERE number = ?1) <> 'delete' AND \(rowsOfMark)
                """, .integer(number))
        }
    }

    /// Marks that wait, by their places in the outbox.
    private func inOrder(_ numbers: Set<Int64>) throws(StoreError) -> [Int64] {
        var ordered: [Int64] = []
        try connection.each("SELECT number FROM marks ORDER BY stretch, number") { row throws(StoreError) in
            var row = row
            let number = try row.integer()
            if numbers.contains(number) { ordered.append(number) }
        }
        return ordered
    }

    /// Marks that are not told any more.
    func remove(_ numbers: Set<Int64>) throws(StoreError) {
        for number in numbers.sorted() { try run("DELETE FROM marks WHERE number = ?1", .integer(number)) }
    }

    /// Writes a whole outbox in the place of the one there was.
    func write(_ outbox: Outbox) throws(StoreError) {
        try run("DELETE FROM marks")
        try run("DELETE FROM stretches")
        for stretch in outbox.stretches {
            try append(stretch.login)
            for mark in stretch.marks { try add(mark, replacing: []) }
        }
        try run("UPDATE state SET last_mark = ?1", .integer(outbox.lastNumber))
    }

    private func append(_ login: Login) throws(StoreError) {
        try run(
            """
            INSERT INTO stretches (number, person, proof)
            VALUES ((SELECT coalesce(max(number), 0) + 1 FROM stretches), ?1, ?2)
            """, SQLiteValue(login.person?.text), SQLiteValue(login.proof))
    }

    private func set(_ login: Login, of stretch: Int64) throws(StoreError) {
        try run(
            "UPDATE stretches SET person = ?2, proof = ?3 WHERE number = ?1", .integer(stretch),
            SQLiteValue(login.person?.text), SQLiteValue(login.proof))
    }

    private func stretches() throws(StoreError) -> [(number: Int64, person: NamedUserID?)] {
        var stretches: [(number: Int64, person: NamedUserID?)] = []
        try connection.each("SELECT number, person FROM stretches ORDER BY number") {
            row throws(StoreError) in
            var row = row
            stretches.append((try row.integer(), try row.textOrNull().map(NamedUserID.init(stored:))))
        }
        return stretches
    }
}
