/// Random numbers that one seed repeats (SplitMix64): for choices that a run must be able to make again, never for secrets.
///
/// Eight bytes of state, so that each of many thousand simulated devices has its own.
package struct SeededRandom: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mix = state
        mix = (mix ^ mix >> 30) &* 0xBF58_476D_1CE4_E5B9
        mix = (mix ^ mix >> 27) &* 0x94D0_49BB_1331_11EB
        return mix ^ mix >> 31
    }

    /// A generator for one of many parts of a run: what others draw, and in which order, does not change it.
    package static func part(_ number: Int, of seed: UInt64) -> SeededRandom {
        // One draw apart, since neighbouring states of SplitMix64 would be neighbours for good.
        var first = SeededRandom(seed: seed ^ UInt64(bitPattern: Int64(number)) &* 0xD134_2543_DE82_EF95)
        return SeededRandom(seed: first.next())
    }

    /// True in `times` of `outOf` cases.
    package mutating func chance(_ times: Int, outOf: Int) -> Bool {
        Int.random(in: 0..<outOf, using: &self) < times
    }

    /// One of the elements; nothing if there are none.
    package mutating func element<Elements: RandomAccessCollection>(of elements: Elements) -> Elements
        .Element?
    {
        elements.randomElement(using: &self)
    }
}
