import Crypto
import Foundation
import HTTPCore
import SimulatorKit

/// The command line of `simulator load` with devices that carry the library, read and checked.
struct FleetArguments {
    /// The instances of the server.
    let servers: [BaseURL]
    let apps: [AppKeys]
    let connections: Int
    let shard: RunShards
    let isJSON: Bool
    let isQuiet: Bool
    /// Where the record and the page go, if they are wanted.
    let record: String?
    let page: String?
    let options: FleetOptions
    private let words: [String]

    init(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        var reader = ArgumentReader(arguments, environment)
        words = arguments
        servers = FleetArguments.servers(&reader, environment)
        let all = FleetArguments.apps(&reader)
        let shard = FleetArguments.shard(&reader)
        apps = all.indices.filter { $0 % shard.count == shard.number - 1 }.map { all[$0] }
        if !all.isEmpty, apps.isEmpty || all.count < shard.count {
            reader.complain("--shard needs an app for each process: \(shard.count) in --apps")
        }
        self.shard = RunShards(shard.number, of: shard.count)
        if shard.count > 1, !arguments.contains(where: { $0 == "--run" || $0.hasPrefix("--run=") }) {
            reader.complain("--shard needs --run NAME, the same for all processes of the run")
        }
        let profile = FleetArguments.profile(&reader)
        let devices = reader.number("devices", in: 1...100_000) ?? 100
        let duration = reader.seconds("duration", in: 0.1...864_000) ?? 30
        connections = Int(reader.number("connections", in: 1...16_000) ?? 256)
        let seed = reader.number("seed", in: 0...Int64.max).map { UInt64($0) } ?? RandomBytes.uint64() >> 16
        let run = FleetArguments.run(&reader)
        var options = FleetOptions(
            profile, devices: Int(devices) / shard.count, duration: .seconds(duration), seed: seed,
            run: "\(run)\(shard.count > 1 ? "s\(shard.number)" : "")")
        options.sharedRun = run
        options.mostStreams = min(15_000, 16_000 - connections)
        FleetArguments.read(&options, &reader)
        FleetArguments.settings(&options, apps.count, &reader)
        (isJSON, isQuiet) = (reader.flag("json"), reader.flag("quiet"))
        record = FleetArguments.path("record", &reader)
        page = FleetArguments.path("html", &reader)
        if options.devices < max(1, apps.count) {
            reader.complain("--devices must be at least the number of apps")
        }
        let problems = reader.end()
        guard problems.isEmpty else { throw UsageError(problems: problems) }
        self.options = options
    }

    private static func path(_ name: String, _ reader: inout ArgumentReader) -> String? {
        let path = reader.text(name, variable: nil)
        guard !path.isEmpty else { return nil }
        // Said now, and not when the run is over.
        if let problem = whyUnwritable(path) {
            reader.complain("--\(name) \(path) cannot be written: \(problem)")
        }
        return path
    }

    private static func servers(
        _ reader: inout ArgumentReader, _ environment: [String: String]
    ) -> [BaseURL] {
        var texts = reader.texts("server")
        if texts.isEmpty, let text = environment["MARTLET_SERVER"], !text.isEmpty { texts = [text] }
        if texts.isEmpty { reader.complain("--server (or MARTLET_SERVER) is missing") }
        let servers = texts.compactMap { reader.address($0, of: "server") }
        reader.checkOwned(servers)
        return servers
    }

    private static func apps(_ reader: inout ArgumentReader) -> [AppKeys] {
        let file = reader.text("apps", variable: nil)
        guard file.isEmpty else {
            do {
                return try AppFile.read(file)
            } catch {
                for problem in error.problems { reader.complain(problem) }
                return []
            }
        }
        return [
            AppKeys(
                key: reader.secret("app-key", variable: "MARTLET_APP_KEY"),
                appSecret: reader.secret("app-secret", variable: "MARTLET_APP_SECRET"),
                masterSecret: reader.secret("master-secret", variable: "MARTLET_MASTER_SECRET"))
        ]
    }

    private static func shard(_ reader: inout ArgumentReader) -> (number: Int, count: Int) {
        let text = reader.text("shard", variable: nil, otherwise: "1/1")
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], (1...64).contains(count),
            (1...count).contains(number)
        else {
            reader.complain("--shard must be like 1/4: which of how many processes, at most 64")
            return (1, 1)
        }
        return (number, count)
    }

    /// The name of the run, which its processes share.
    private static func run(_ reader: inout ArgumentReader) -> String {
        let text = reader.text("run", variable: nil, otherwise: String(RandomBytes.token22().prefix(8)))
        let isForm =
            (1...16).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        if !isForm { reader.complain("--run must be 1 to 16 letters, digits, - and _") }
        return text
    }

    private static func profile(_ reader: inout ArgumentReader) -> LoadProfile {
        let text = reader.text("profile", variable: nil, otherwise: LoadProfile.commuter.name)
        if let profile = LoadProfile.named[text] { return profile }
        let names = LoadProfile.named.keys.sorted().joined(separator: ", ")
        guard text.contains(".") || text.contains("/") else {
            reader.complain("--profile must be \(names), or a file: there is no profile \(text)")
            return .commuter
        }
        do {
            return try LoadProfile(json: Array(Data(contentsOf: URL(filePath: text))))
        } catch let error as ProfileError {
            for problem in error.problems { reader.complain("--profile \(text): \(problem)") }
        } catch {
            reader.complain("--profile \(text) cannot be read: \(reason(of: error))")
        }
        return .commuter
    }

    private static func read(_ options: inout FleetOptions, _ reader: inout ArgumentReader) {
        let fewest = Int64(options.devices / Ledger.devicesPerPerson * 5 / 4 + 1)
        if let people = reader.number("people", in: fewest...1_000_000) { options.people = Int(people) }
        if let rate = reader.seconds("rate", in: 0.01...10_000) { options.sendRate = rate }
        if let use = reader.seconds("use", in: 0.01...86_400) { options.profile.useSeconds = use }
        if let ramp = reader.seconds("ramp", in: 0...86_400) { options.ramp = .seconds(ramp) }
        if let streams = reader.number("streams", in: 0...16_000) { options.mostStreams = Int(streams) }
        if let rideOut = reader.seconds("ride-out", in: 0...86_400) { options.rideOut = .seconds(rideOut) }
        if let within = reader.seconds("hint-within", in: 0...3600) {
            options.hintsWithin = within > 0 ? .seconds(within) : nil
        }
    }

    /// What the apps are set to: all combinations in turn, the one that is asked for, or what they are set to already.
    private static func settings(
        _ options: inout FleetOptions, _ apps: Int, _ reader: inout ArgumentReader
    ) {
        let delivery = reader.text("delivery", variable: nil, otherwise: "auto")
        let filter = reader.text("filter", variable: nil, otherwise: "auto")
        guard delivery != "auto" || filter != "auto" || options.profile.combinesSettings else {
            options.settings = Array(repeating: nil, count: max(1, apps))
            return
        }
        let deliveries =
            delivery == "auto" ? Delivery.allCases : Delivery(rawValue: delivery).map { [$0] } ?? []
        let filters =
            filter == "auto"
            ? AppChoice.Filter.allCases : AppChoice.Filter(rawValue: filter).map { [$0] } ?? []
        if deliveries.isEmpty { reader.complain("--delivery must be devices, person or auto") }
        if filters.isEmpty { reader.complain("--filter must be off, client, server or auto") }
        let choices = AppChoice.all.filter { deliveries.contains($0.delivery) && filters.contains($0.filter) }
        guard !choices.isEmpty else { return }
        options.settings = (0..<max(1, apps)).map { choices[$0 % choices.count] }
    }

    /// The command that makes the same choices again; secrets come from the environment or the file.
    var command: String {
        var rest = words[...]
        var kept: [String] = []
        while let word = rest.popFirst() {
            let isSecret = word.hasPrefix("--app-secret") || word.hasPrefix("--master-secret")
            guard !isSecret, word != "--seed" else {
                if !word.contains("=") { _ = rest.popFirst() }
                continue
            }
            kept.append(word.contains(" ") ? "'\(word)'" : word)
        }
        return "simulator load \(kept.joined(separator: " ")) --seed \(options.seed)"
    }
}
