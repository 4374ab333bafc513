/// How many of the messages that devices had to get they got.
package struct Reach: Sendable, Equatable, Codable {
    /// Messages times the devices that each was for.
    package var expected = 0
    package var received = 0

    package init(expected: Int = 0, received: Int = 0) {
        self.expected = expected
        self.received = received
    }

    package mutating func merge(_ other: Reach) {
        expected += other.expected
        received += other.received
    }

    /// Received of expected, as a part of one; nothing if nothing was expected.
    package var share: Double? { expected > 0 ? Double(received) / Double(expected) : nil }
}
