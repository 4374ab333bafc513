extension Ledger {
    /// Least and most unread messages that an answer may count for a device's view.
    package func unreadCount(on device: Int, during span: Span) -> ClosedRange<Int> {
        let person = devices[device].person
        var (least, most) = (0, 0)
        for number in expected(on: device, person) {
            let sight = sight(of: number, on: device, person)
            guard sight.exists.mayHold(by: span.end.stamp), !isGone(number, sight, from: span.start) else {
                continue
            }
            let (mayBeUnread, mayBeRead) = readings(of: number, sight, on: device, during: span)
            if mayBeUnread { most += 1 }
            if !mayBeRead, sight.exists.mustHold(from: span.start.stamp),
                !mayBeGone(number, sight, by: span.end)
            {
                least += 1
            }
        }
        return least...max(least, most)
    }

    private func isGone(_ number: Int, _ sight: Sight, from start: Moment) -> Bool {
        sight.deleted.mustHold(from: start.stamp) || sight.fallen <= start.stamp
            || messages[number].recalled.mustHold(from: start.stamp)
            || messages[number].mustHaveExpired(by: start)
    }

    private func readings(
        of number: Int, _ sight: Sight, on device: Int, during span: Span
    ) -> (mayBeUnread: Bool, mayBeRead: Bool) {
        if let line = toggleLine(of: number, on: device) {
            return (line.allows(true, during: span), line.allows(false, during: span))
        }
        return (!sight.read.mustHold(from: span.start.stamp), sight.read.mayHold(by: span.end.stamp))
    }
}
