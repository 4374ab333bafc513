package import Platform

/// All that a report on a run needs, as one value that a file can hold.
package struct RunRecord: Sendable, Equatable {
    /// The program that made the record, with its version.
    package var tool: String
    package var title: String
    /// The same for all processes that share a run, and different for every other run.
    package var run: String
    /// What the run was asked to do.
    package var options: [Option]
    /// When the load began.
    package var started: Instant
    /// Of the load alone, without registration and comparison.
    package var loadTime: Duration
    package var shards = RunShards()
    package var totals = RunTotals()
    package var sends = Sends()
    package var outages = Outages()
    package var hints = HintCounts()
    /// Lists that were held against the ledger, 304 included.
    package var checked = 0
    /// Requests whose outcome was not told.
    package var unanswered = 0
    package var own = OwnLoad()
    package var verdict: RunVerdict

    /// The version of the file's form: raised whenever a reader of the one before would err.
    package static let format = 1

    /// A run by its name, its start and what was found; all else begins empty.
    package init(
        _ title: String, run: String, by tool: String, started: Instant, loadTime: Duration,
        options: [Option] = [], verdict: RunVerdict
    ) {
        self.title = title
        self.run = run
        self.tool = tool
        self.started = started
        self.loadTime = loadTime
        self.options = options
        self.verdict = verdict
    }

    /// A setting of the run, for people.
    package struct Option: Sendable, Equatable, Codable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Messages by what became of them.
    package struct Sends: Sendable, Equatable, Codable {
        package var answered = 0
        package var unanswered = 0
        /// Unanswered, but seen in a list.
        package var arrivedUnanswered = 0
        package var toEveryone = 0
        package var shortLived = 0
        package var recalled = 0

        private enum CodingKeys: String, CodingKey {
            case answered, unanswered
            case arrivedUnanswered = "arrived_unanswered"
            case toEveryone = "to_everyone"
            case shortLived = "short_lived"
            case recalled
        }

        package init() {}
    }

    /// Times at which the server was away.
    package struct Outages: Sendable, Equatable, Codable {
        package var count = 0
        @Microseconds package var longest = Duration.zero

        private enum CodingKeys: String, CodingKey {
            case count
            case longest = "longest_us"
        }

        package init() {}
    }
}
