/// What one caller wants: statements that belong together, and where the answer goes.
final class PipelineRequest {
    let write: Write
    /// By the loop's uptime: when it is refused if it was not sent before.
    let deadline: Duration
    private var answer: ((Result<[QueryResult], PostgresError>) -> Void)?

    /// Results so far; of a batch that was taken back they are dropped.
    var results: [QueryResult] = []
    /// Repeats after errors that may pass.
    var repeats = 0
    /// Repeats because the connection broke or the server had lost a prepared statement.
    var mishaps = 0

    init(
        _ write: Write, deadline: Duration,
        answer: @escaping (Result<[QueryResult], PostgresError>) -> Void
    ) {
        self.write = write
        self.deadline = deadline
        self.answer = answer
    }

    var isAnswered: Bool { answer == nil }

    /// Answers, once.
    func finish(_ result: Result<[QueryResult], PostgresError>) {
        guard let answer else { preconditionFailure("Pipeline answers a request once") }
        self.answer = nil
        results = []
        answer(result)
    }
}

/// Statements that are sent together and end with one sync: an implicit transaction.
struct Batch {
    /// One thing that is sent, and that gives one result.
    enum Step {
        case prepare(name: String, SQL, request: Int)
        /// A scope or the locks of several requests.
        case setting(name: String, SQL)
        case query(name: String, SQL, request: Int)
        case deallocate(name: String)
    }

    /// An error of a step, and the request that it belongs to, if it is one's alone.
    struct Failure {
        let error: PostgresError
        let request: Int?
    }

    let requests: [PipelineRequest]
    var steps: [Step] = []
    /// The scope that it sets last; nil if it sets none.
    var changesScopeTo: Scope?
    /// The step whose result comes next; past the last one it is the sync.
    var position = 0
    var failure: Failure?
    /// Whether it prepares a new connection instead of serving requests.
    var isSetup = false

    init(_ requests: [PipelineRequest]) {
        self.requests = requests
    }

    /// Whether all that is missing is the sync: from here on it may be committed.
    var awaitsSync: Bool { position == steps.count }
}
