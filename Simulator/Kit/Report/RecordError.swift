/// Why a file is no record, or records are not parts of one run.
package enum RecordError: Error, Equatable {
    /// Another file altogether.
    case noRecord
    /// A record in a form that this program does not read.
    case otherVersion(Int)
    /// A record with something wrong in it.
    case damaged(String)
    /// Two records of different runs.
    case otherRun(String, String)
    /// Two records that do not agree among how many processes the run was shared.
    case otherCount(Int, Int)
    /// Shards of which there are two records.
    case twice([Int])
    /// Shards of which there is none.
    case missing([Int], of: Int)

    /// The error for whoever named the files.
    package var words: String {
        switch self {
        case .noRecord: "is no record of a run"
        case .otherVersion(let version):
            "is a record of format \(version); this program reads format \(RunRecord.format)"
        case .damaged(let detail): "is a damaged record: \(detail)"
        case .otherRun(let one, let other): "the records are of different runs, \(one) and \(other)"
        case .otherCount(let one, let other):
            "the records are of a run that was shared among \(one) processes, and of one among \(other)"
        case .twice(let shards): "there are two records of \(RecordError.words(shards))"
        case .missing(let shards, let count):
            "the record of \(RecordError.words(shards)) of \(count) is missing"
        }
    }

    private static func words(_ shards: [Int]) -> String {
        (shards.count == 1 ? "shard " : "shards ") + shards.map(String.init).joined(separator: ", ")
    }
}
