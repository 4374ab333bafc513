/// A run in slices of equal width: a second, and twice as long whenever there would be too many.
package struct Timeline: Sendable, Equatable {
    /// Seconds that one slice lasts: a power of two.
    package private(set) var width = 1
    /// From the start of the run on, without gaps.
    package private(set) var slices: [TimeSlice] = []
    /// Where the load ended within the last slice, in seconds; nothing if it is taken for whole.
    private var end: Double?

    /// As many points as a plot can show, and as a page can carry.
    package static let most = 600
    /// What a damaged file may claim at most: a slice of over a year.
    private static let widest = 1 << 25

    package init() {}

    /// Adds what happened in the second that began so many seconds after the start.
    mutating func add(_ slice: TimeSlice, atSecond second: Int) {
        precondition(second >= 0, "a run begins at zero")
        while second / width >= Timeline.most { double() }
        extend(to: second / width + 1)
        slices[second / width].join(later: slice)
    }

    /// Takes in what another process saw, whose load began so many seconds later.
    package mutating func merge(_ other: Timeline, after seconds: Int = 0) {
        var other = other.shifted(by: seconds)
        while other.width < width { other.double() }
        while width < other.width { double() }
        carry()
        other.carry()
        extend(to: other.slices.count)
        for (index, slice) in other.slices.enumerated() { slices[index].join(beside: slice) }
    }

    /// The same in wider slices, so that there are at most so many.
    package func condensed(to most: Int) -> Timeline {
        var timeline = self
        while timeline.slices.count > most { timeline.double() }
        return timeline
    }

    /// Without what came when the load was over: the last slice counts if at least half of it was load.
    func within(_ loadTime: Duration) -> Timeline {
        guard loadTime > .zero else { return self }
        var timeline = self
        let whole = Int((loadTime.inSeconds / Double(width)).rounded())
        timeline.slices = Array(slices.prefix(max(1, whole)))
        timeline.end = min(loadTime.inSeconds, Double(timeline.slices.count * width))
        return timeline
    }

    /// Seconds that all slices cover.
    var seconds: Double { end ?? Double(slices.count * width) }

    /// Seconds that a slice covers: its width, or for the last one what was left of the load.
    func seconds(ofSlice index: Int) -> Double { min(Double(width), seconds - Double(index * width)) }

    /// The same some seconds later, as well as its slices can tell.
    private func shifted(by seconds: Int) -> Timeline {
        guard seconds > 0 else { return self }
        var timeline = Timeline()
        timeline.width = width
        for (index, slice) in slices.enumerated() {
            timeline.add(slice, atSecond: seconds + index * width)
        }
        return timeline
    }

    private mutating func extend(to count: Int) {
        guard slices.count < count else { return }
        slices += repeatElement(TimeSlice(), count: count - slices.count)
    }

    /// Makes each slice twice as long.
    private mutating func double() {
        width *= 2
        slices = stride(from: 0, to: slices.count, by: 2).map { index in
            var slice = slices[index]
            if index + 1 < slices.count { slice.join(later: slices[index + 1]) }
            return slice
        }
    }

    /// Fills counts of devices in where nobody looked, so that adding two timelines makes no dents.
    private mutating func carry() {
        for index in slices.indices.dropFirst() { slices[index].carry(from: slices[index - 1]) }
    }
}

extension Timeline: Codable {
    private enum CodingKeys: String, CodingKey {
        case width = "width_s"
        case slices
    }

    /// Reads what was encoded, and holds it to the bounds.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        width = try values.decode(Int.self, forKey: .width)
        slices = try values.decode([TimeSlice].self, forKey: .slices)
        let isPower = width > 0 && width & (width - 1) == 0
        guard isPower, width <= Timeline.widest, slices.count <= Timeline.most else {
            throw DecodingError.dataCorruptedError(
                forKey: .width, in: values, debugDescription: "no timeline of slices")
        }
    }
}
