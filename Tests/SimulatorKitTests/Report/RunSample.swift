import Platform

@testable import SimulatorKit

/// Runs that were never run, with all that a report shows.
enum RunSample {
    /// A recorder that saw so many seconds with so many requests each; the middle of them went badly.
    static func recorder(seconds: Int, rate: Int = 40, seed: UInt64 = 1) -> RunRecorder {
        var (recorder, random) = (RunRecorder(), SeededRandom(seed: seed))
        for second in 0..<seconds {
            let isBad = second > seconds / 2 && second < seconds / 2 + max(1, seconds / 12)
            for index in 0..<rate {
                let time = Duration.seconds(second) + .microseconds(index * 1_000_000 / rate)
                request(at: time, isBad: isBad, &recorder, &random)
            }
            let share = Double.random(in: 0.25..<0.4, using: &random)
            recorder.sample(
                OwnSample(
                    devices: min(5000, 3750 + second * 40), connected: 250, cpuShare: share,
                    loopLag: .microseconds(Int.random(in: 40..<900, using: &random))),
                at: .seconds(second) + .milliseconds(990))
        }
        return recorder
    }

    private static func request(
        at time: Duration, isBad: Bool, _ recorder: inout RunRecorder, _ random: inout SeededRandom
    ) {
        let kinds: [Call] = [.list, .list, .list, .list, .list, .read, .read, .delete, .body, .send]
        let call = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        let isLong = Int.random(in: 0..<50, using: &random) == 0
        let microseconds =
            Int.random(in: 400..<1600, using: &random) * (isLong ? 12 : 1) * (isBad ? 20 : 1)
        let isSame = call == .list && Int.random(in: 0..<4, using: &random) > 0
        let status = isBad && Int.random(in: 0..<5, using: &random) == 0 ? 503 : isSame ? 304 : 200
        recorder.request(call, .status(status), after: .microseconds(microseconds), at: time)
        if isBad, Int.random(in: 0..<8, using: &random) == 0 {
            recorder.request(call, .failure("connection refused"), after: .microseconds(300), at: time)
        }
        guard call == .send else { return }
        recorder.expected(4, at: time)
        for _ in 0..<4 where Int.random(in: 0..<600, using: &random) > 0 {
            let lag = Int.random(in: 4000..<60_000, using: &random) * (isBad ? 9 : 1)
            recorder.received(after: .microseconds(lag), at: time)
        }
    }

    /// A record of one process among `count`.
    static func record(
        seconds: Int = 30, rate: Int = 40, shard number: Int = 1, of count: Int = 1, seed: UInt64 = 1
    ) -> RunRecord {
        let recorder = recorder(seconds: seconds, rate: rate, seed: seed)
        var record = RunRecord(
            "5,000 devices against http://127.0.0.1:8080", run: "Kx3vT0aB", by: "simulator 1.0",
            started: Instant(seconds: 1_796_115_600), loadTime: .seconds(seconds),
            options: [
                RunRecord.Option("devices", "5000"), RunRecord.Option("refresh", "10 s"),
                RunRecord.Option("seed", "42"),
            ], verdict: RunVerdict(devices: 5000, right: 5000))
        record.shards = RunShards(number, of: count)
        record.totals = recorder.totals
        record.own = recorder.own(Usage(cpu: .milliseconds(9730), peakBytes: 148 << 20))
        (record.sends.answered, record.sends.toEveryone, record.sends.recalled) = (2990, 301, 44)
        record.checked = 18_234
        return record
    }

    /// A record with all that can go wrong, and texts that would be markup.
    static func wrong(seconds: Int = 30) -> RunRecord {
        var record = record(seconds: seconds)
        record.title = "Tags & <b>bold</b> \"quoted\" 'words' ]]> \u{1} \u{202E}drawkcab"
        record.verdict = RunVerdict(
            devices: 5000, right: 4998, differences: ["misses a message": 3, "shows another text": 1],
            first: ["at 3.201 s: device 7: list shows another text (</li><script>alert(1)</script> &amp;)"],
            wasAbandoned: true, wasInterrupted: true)
        record.outages.count = 2
        record.outages.longest = .milliseconds(3400)
        return record
    }
}
