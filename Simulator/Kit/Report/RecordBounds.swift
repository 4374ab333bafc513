import InboxWire

/// Holds the numbers of a record's file to what a run can have, so that no sum of them overflows.
struct RecordBounds {
    private var counts = 0.0
    private var times = 0.0
    private var isNegative = false

    /// All but times together.
    private static let mostCounts = 0x1p48
    /// All sums of times together, in microseconds, and when the run began.
    private static let mostTimes = 0x1p56

    /// Adds the numbers of a file up; nothing if it is no JSON.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON.parse(bytes) else { return nil }
        add(json, of: "")
    }

    /// Whether no number is negative, and none too large, alone or with the others.
    var areKept: Bool {
        !isNegative && counts <= RecordBounds.mostCounts && times <= RecordBounds.mostTimes
    }

    private mutating func add(_ json: JSON, of name: String) {
        switch json {
        case .object(let members): for member in members { add(member.value, of: member.name) }
        case .array(let items): for item in items { add(item, of: name) }
        case .number(let number): add(number.double ?? .infinity, of: name)
        case .null, .bool, .string: break
        }
    }

    private mutating func add(_ number: Double, of name: String) {
        isNegative = isNegative || number < 0
        if ["sum_us", "started_us"].contains(name) { times += number } else { counts += number }
    }
}
