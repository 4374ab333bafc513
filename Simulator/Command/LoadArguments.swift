import Crypto
import HTTPCore
import SimulatorKit

/// The command line of `simulator load`, read and checked.
struct LoadArguments {
    let server: BaseURL
    let appKey: String
    let appSecret: String
    let masterSecret: String
    let connections: Int
    let isJSON: Bool
    let isQuiet: Bool
    let options: LoadOptions

    init(_ arguments: [String], _ environment: [String: String]) throws(UsageError) {
        var reader = ArgumentReader(arguments, environment)
        let address = reader.text("server", variable: "MARTLET_SERVER")
        if address.isEmpty { reader.complain("--server (or MARTLET_SERVER) is missing") }
        let server = address.isEmpty ? nil : reader.address(address, of: "server")
        reader.checkOwned([server].compactMap(\.self))
        appKey = reader.secret("app-key", variable: "MARTLET_APP_KEY")
        appSecret = reader.secret("app-secret", variable: "MARTLET_APP_SECRET")
        masterSecret = reader.secret("master-secret", variable: "MARTLET_MASTER_SECRET")
        let devices = reader.number("devices", in: 1...100_000) ?? reader.missing("devices")
        let duration = reader.seconds("duration", in: 0.1...864_000) ?? reader.missing("duration")
        connections = Int(reader.number("connections", in: 1...16_000) ?? 256)
        let seed = reader.number("seed", in: 0...Int64.max)
        var options = LoadOptions(
            devices: Int(devices), duration: .seconds(duration),
            seed: UInt64(seed ?? Int64(RandomBytes.uint64() >> 16)),
            run: String(RandomBytes.token22().prefix(8)))
        LoadArguments.read(&options, &reader)
        isJSON = reader.flag("json")
        isQuiet = reader.flag("quiet")
        let problems = reader.end()
        guard problems.isEmpty, let server else { throw UsageError(problems: problems) }
        self.server = server
        self.options = options
    }

    private static func read(_ options: inout LoadOptions, _ reader: inout ArgumentReader) {
        let fewest = Int64(options.devices / Ledger.devicesPerPerson * 5 / 4 + 1)
        if let people = reader.number("people", in: fewest...1_000_000) { options.people = Int(people) }
        if let rate = reader.seconds("rate", in: 0.01...10_000) { options.sendRate = rate }
        if let refresh = reader.seconds("refresh", in: 0.01...86_400) { options.refresh = .seconds(refresh) }
        if let rideOut = reader.seconds("ride-out", in: 0...86_400) { options.rideOut = .seconds(rideOut) }
        switch reader.text("delivery", variable: nil, otherwise: "auto") {
        case "auto": options.delivery = nil
        case let text:
            options.delivery = Delivery(rawValue: text)
            if options.delivery == nil { reader.complain("--delivery must be devices, person or auto") }
        }
    }

    /// The command that makes the same choices again; secrets come from the environment.
    var command: String {
        let delivery = options.delivery.map { " --delivery \($0.rawValue)" } ?? ""
        return "simulator load --server \(server) --app-key \(appKey) --devices \(options.devices)"
            + " --duration \(options.duration.inSeconds) --people \(options.people) --rate \(options.sendRate)"
            + " --refresh \(options.refresh.inSeconds) --connections \(connections)\(delivery)"
            + " --ride-out \(options.rideOut.inSeconds) --seed \(options.seed)"
    }
}

/// Takes options out of a command line and collects what is wrong with it.
struct ArgumentReader {
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []
    private var problems: [String] = []
    private let environment: [String: String]

    private static let keyBytes = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let flagNames: Set = [
        "json", "quiet", "model", "faults", "dry-run", "verbose", "simulated", "digest",
    ]

    init(_ arguments: [String], _ environment: [String: String]) {
        self.environment = environment
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                problems.append("\(argument) is no option")
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if ArgumentReader.flagNames.contains(name), parts.count == 1 {
                flags.insert(name)
            } else if let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() {
                values[name, default: []].append(value)
            } else {
                problems.append("--\(name) needs a value")
            }
        }
    }

    mutating func complain(_ problem: String) { problems.append(problem) }

    mutating func flag(_ name: String) -> Bool { flags.remove(name) != nil }

    mutating func text(_ name: String, variable: String?, otherwise: String = "") -> String {
        values.removeValue(forKey: name)?.last ?? variable.flatMap { environment[$0] } ?? otherwise
    }

    /// All values of an option that may be given more than once.
    mutating func texts(_ name: String) -> [String] { values.removeValue(forKey: name) ?? [] }

    /// The address of a server, which is reached without TLS.
    mutating func address(_ text: String, of name: String) -> BaseURL? {
        let address = BaseURL(text)
        if address == nil || address?.isSecure == true { complain("--\(name) must be an http:// address") }
        return address
    }

    /// Loopback only, unless somebody says that the host is theirs: a load is an attack on whoever did not ask for it.
    mutating func checkOwned(_ servers: [BaseURL]) {
        let own = Set(texts("i-own-this-server"))
        for host in servers.map(\.host) where !own.contains(host) && !ArgumentReader.isLoopback(host) {
            complain("\(host) is not this machine; say --i-own-this-server \(host) if it is yours")
        }
    }

    /// A name that only begins like an address is anybody's.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// A key or secret in the form that published clients accept.
    mutating func secret(_ name: String, variable: String) -> String {
        let value = text(name, variable: variable)
        if value.isEmpty {
            complain("--\(name) (or \(variable)) is missing")
            return value
        }
        let isForm = value.utf8.count == 22 && value.utf8.allSatisfy(ArgumentReader.keyBytes.contains)
        if !isForm {
            complain("--\(name) (or \(variable)) must be 22 characters of letters, digits, - and _")
        }
        return value
    }

    mutating func number(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let text = values.removeValue(forKey: name)?.last else { return nil }
        if let value = Int64(text), range.contains(value) { return value }
        complain("--\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    mutating func seconds(_ name: String, in range: ClosedRange<Double>) -> Double? {
        guard let text = values.removeValue(forKey: name)?.last else { return nil }
        if let value = Double(text), range.contains(value) { return value }
        complain("--\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    /// Complains that an option is missing, and stands in for its value.
    mutating func missing<Value: ExpressibleByIntegerLiteral>(_ name: String) -> Value {
        if !problems.contains(where: { $0.hasPrefix("--\(name) ") }) { complain("--\(name) is missing") }
        return 1
    }

    /// All that is wrong, options that nobody asked for included.
    mutating func end() -> [String] {
        problems + (Array(values.keys) + flags).sorted().map { "there is no option --\($0)" }
    }
}
