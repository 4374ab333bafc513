import Platform

extension RunRecord {
    /// The record of a whole run from those of all its processes, in any order.
    ///
    /// - Throws: `RecordError` if they are of different runs, or one is there twice or not at all.
    package static func merged(_ records: [RunRecord]) throws(RecordError) -> RunRecord {
        let sorted = records.sorted {
            ($0.started, $0.shards.held.first ?? 0) < ($1.started, $1.shards.held.first ?? 0)
        }
        guard var whole = sorted.first else { throw RecordError.noRecord }
        if sorted.count > 1 { whole.verdict.name(whole.shards) }
        for record in sorted.dropFirst() { try whole.merge(record) }
        let missing = whole.shards.missing
        guard missing.isEmpty else { throw RecordError.missing(missing, of: whole.shards.count) }
        return whole
    }

    /// Seconds between the starts of two processes: a day is more than anybody waits, and bounds the timeline.
    private static let mostLater: Int64 = 86_400

    /// Takes in the record of another process, which began no earlier.
    private mutating func merge(_ other: RunRecord) throws(RecordError) {
        guard run == other.run else { throw RecordError.otherRun(run, other.run) }
        guard shards.count == other.shards.count else {
            throw RecordError.otherCount(shards.count, other.shards.count)
        }
        let common = shards.common(with: other.shards)
        guard common.isEmpty else { throw RecordError.twice(common) }
        shards.merge(other.shards)
        // Clocks of machines differ by less than the slices of a timeline are wide.
        let later = min(max(0, other.started.seconds - started.seconds), RunRecord.mostLater)
        loadTime = max(loadTime, other.loadTime + .seconds(later))
        totals.merge(other.totals, after: Int(later))
        sends.merge(other.sends)
        // All saw the same server: what the one who saw most saw.
        outages.count = max(outages.count, other.outages.count)
        outages.longest = max(outages.longest, other.outages.longest)
        hints.merge(other.hints)
        checked += other.checked
        unanswered += other.unanswered
        own.merge(other.own)
        var itsVerdict = other.verdict
        itsVerdict.name(other.shards)
        verdict.merge(itsVerdict)
    }
}

extension RunRecord.Sends {
    /// Takes in what another process sent.
    fileprivate mutating func merge(_ other: RunRecord.Sends) {
        answered += other.answered
        unanswered += other.unanswered
        arrivedUnanswered += other.arrivedUnanswered
        toEveryone += other.toEveryone
        shortLived += other.shortLived
        recalled += other.recalled
    }
}
