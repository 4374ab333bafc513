import Crypto
import HTTPCore

/// The command line of `simulator check`, read and checked.
struct CheckArguments {
    let servers: [BaseURL]
    let backstage: BaseURL
    let histories: Int
    let seed: UInt64
    let isQuiet: Bool

    init(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        var reader = ArgumentReader(arguments, environment)
        if !reader.flag("model") { reader.complain("say what to check: --model") }
        let servers = reader.texts("server").map { reader.address($0, of: "server") }
        if servers.count != 2 { reader.complain("--server must be given twice, once for each server") }
        let backstage = reader.text("backstage", variable: nil)
        if backstage.isEmpty { reader.complain("--backstage is missing") }
        let address = backstage.isEmpty ? nil : reader.address(backstage, of: "backstage")
        histories = Int(reader.number("histories", in: 1...10_000_000) ?? 1000)
        seed = reader.number("seed", in: 0...Int64.max).map { UInt64($0) } ?? RandomBytes.uint64() >> 16
        isQuiet = reader.flag("quiet")
        let problems = reader.end()
        guard problems.isEmpty, let address else { throw UsageError(problems: problems) }
        self.servers = servers.compactMap(\.self)
        self.backstage = address
    }

    /// The command that plays one history again.
    func command(seed: UInt64) -> String {
        "simulator check --model" + servers.map { " --server \($0)" }.joined()
            + " --backstage \(backstage) --histories 1 --seed \(seed)"
    }
}
