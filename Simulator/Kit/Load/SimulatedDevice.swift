import Foundation
import Platform

/// One device of a run: what its phone would keep, and what it is about to do.
struct SimulatedDevice: Sendable {
    /// Draws what the device does, so that other devices do not change it.
    var random: SeededRandom
    let kind: DeviceKind
    /// Known once its channel was answered.
    var channel: UUID?
    /// Known once its user was answered.
    var user: InboxUser?
    /// The `Last-Modified` of its last list.
    var validator: String?
    /// What its last list showed.
    var list: [Listed] = []
    /// Messages opened, and to be deleted, that the server was not yet told of.
    var pending: [Mark: [Int32]] = [:]
    /// From the start to the answer of its last list.
    var seen: Span?
    /// Its inbox was compared at the end.
    var wasCompared = false
    /// It was refused something that it needs.
    var hasStopped = false

    init(_ number: Int, of seed: UInt64) {
        random = SeededRandom.part(number, of: seed)
        kind = random.chance(1, outOf: 2) ? .ios : .android
    }

    /// The channel as it travels.
    var channelText: String { channel?.uuidString.lowercased() ?? "" }
}
