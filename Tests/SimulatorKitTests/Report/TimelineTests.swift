import Foundation
import Testing

@testable import SimulatorKit

struct TimelineTests {
    /// A slice with so many answers, of so many milliseconds each.
    private static func slice(_ answers: Int, milliseconds: Int = 5, devices: Int? = nil) -> TimeSlice {
        var slice = TimeSlice()
        for _ in 0..<answers {
            slice.answered(Call.list.position, isNotModified: false, microseconds: Int64(milliseconds) * 1000)
        }
        slice.failed("status 503")
        if let devices {
            slice.sampled(OwnSample(devices: devices, connected: 1, cpuShare: 0.5, loopLag: .zero))
        }
        return slice
    }

    private static func timeline(seconds: Range<Int>, devices: Int? = nil) -> Timeline {
        var timeline = Timeline()
        for second in seconds { timeline.add(slice(1, devices: devices), atSecond: second) }
        return timeline
    }

    @Test(arguments: [(600, 1, 600), (601, 2, 301), (1200, 2, 600), (1201, 4, 301), (5000, 16, 313)])
    func `slices double their width before there are too many`(seconds: Int, width: Int, slices: Int) {
        let timeline = TimelineTests.timeline(seconds: 0..<seconds)
        #expect(timeline.width == width)
        #expect(timeline.slices.count == slices)
        #expect(timeline.slices.reduce(0) { $0 + $1.count(of: .list) } == seconds)
        #expect(timeline.slices.reduce(0) { $0 + $1.errors.total } == seconds)
        #expect(timeline.slices[0].answers == width)
    }

    @Test func `a second far away makes the slices wide at once`() {
        let timeline = TimelineTests.timeline(seconds: 864_000..<864_001)
        #expect(timeline.width == 2048)
        #expect(timeline.slices.count == 422)
    }

    @Test func `timelines of different width merge to the wider one`() {
        let long = TimelineTests.timeline(seconds: 0..<1000, devices: 3)
        let short = TimelineTests.timeline(seconds: 0..<100, devices: 4)
        var (one, other) = (long, short)
        one.merge(short)
        other.merge(long)
        #expect(one.slices.map(\.answers) == other.slices.map(\.answers))
        #expect(one.width == 2 && one.slices.count == 500)
        #expect(one.slices[49].answers == 4 && one.slices[50].answers == 2)
        #expect(one.slices[49].devices == 7 && one.slices[50].devices == 3)
    }

    @Test func `devices that nobody counted in a moment are those of the moment before`() {
        var (one, other) = (
            TimelineTests.timeline(seconds: 0..<3, devices: 5),
            TimelineTests.timeline(seconds: 0..<1, devices: 2)
        )
        other.add(TimelineTests.slice(1), atSecond: 2)
        one.merge(other)
        #expect(one.slices.map(\.devices) == [7, 7, 7])
    }

    @Test func `the processor of a shared run is that of the busiest process`() {
        var (one, other) = (TimeSlice(), TimeSlice())
        one.sampled(OwnSample(devices: 1, connected: 1, cpuShare: 0.2, loopLag: .zero))
        other.sampled(OwnSample(devices: 1, connected: 1, cpuShare: 0.7, loopLag: .zero))
        one.join(beside: other)
        #expect(one.cpu.mean == 0.7)
    }

    @Test func `what comes when the load is over is not shown`() {
        let timeline = TimelineTests.timeline(seconds: 0..<20)
        #expect(timeline.within(.milliseconds(10_400)).slices.count == 10)
        #expect(timeline.within(.milliseconds(10_600)).slices.count == 11)
        #expect(timeline.within(.zero).slices.count == 20)
    }

    @Test func `the last slice covers what was left of the load, however wide it is`() {
        let timeline = TimelineTests.timeline(seconds: 0..<20).within(.milliseconds(10_600))
        #expect(timeline.seconds == 10.6)
        #expect(timeline.seconds(ofSlice: 9) == 1 && abs(timeline.seconds(ofSlice: 10) - 0.6) < 1e-9)
        let wide = timeline.condensed(to: 3)
        #expect(wide.width == 4 && wide.slices.count == 3)
        #expect(wide.seconds(ofSlice: 1) == 4 && abs(wide.seconds(ofSlice: 2) - 2.6) < 1e-9)
    }

    @Test func `a file gives the same timeline back`() throws {
        let timeline = RunSample.recorder(seconds: 50).totals.timeline
        let data = try JSONEncoder().encode(timeline)
        #expect(try JSONDecoder().decode(Timeline.self, from: data) == timeline)
    }

    @Test(arguments: [#"{"width_s":3,"slices":[]}"#, #"{"width_s":0,"slices":[]}"#, #"{"width_s":1}"#])
    func `what is no timeline is refused`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Timeline.self, from: Data(json.utf8))
        }
    }
}
