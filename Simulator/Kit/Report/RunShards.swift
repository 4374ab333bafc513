/// Which of the processes that share a run a record tells of.
package struct RunShards: Sendable, Equatable, Codable {
    /// Numbers from 1 on, in order.
    package private(set) var held: [Int]
    /// How many processes share the run.
    package let count: Int

    private enum CodingKeys: String, CodingKey {
        case held
        case count = "of"
    }

    /// Shard `number` of `count`.
    package init(_ number: Int = 1, of count: Int = 1) {
        precondition((1...count).contains(number), "the command line is checked")
        held = [number]
        self.count = count
    }

    /// Processes whose record is not among these.
    package var missing: [Int] { (1...count).filter { !held.contains($0) } }

    /// Shards that both hold.
    package func common(with other: RunShards) -> [Int] { held.filter(other.held.contains) }

    mutating func merge(_ other: RunShards) { held = (held + other.held).sorted() }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        held = try values.decode([Int].self, forKey: .held).sorted()
        count = try values.decode(Int.self, forKey: .count)
        guard (1...RunShards.most).contains(count), held.allSatisfy((1...count).contains), !held.isEmpty
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .held, in: values, debugDescription: "no shards of a run")
        }
    }

    /// More processes than any run is shared among.
    static let most = 10_000
}
