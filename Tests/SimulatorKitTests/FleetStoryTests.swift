import SimulatorKit
import Testing

/// What people read of the first difference.
@Suite struct FleetStoryTests {
    private func difference(_ kind: Difference.Kind, message: Int? = 17) -> Difference {
        Difference(kind, device: 4, message: message, in: ("list", 3650), detail: "sent to person 2")
    }

    @Test func `a story tells what happened in order, what was expected and what came`() {
        var story = FleetStory(of: difference(.resurrected))
        story.tell(TraceEvent(.registers, 0, at: 120), by: 4)
        story.tell(TraceEvent(.registrationAnswered, 0, at: 131), by: 4)
        story.tell(TraceEvent(.logsIn, 2, at: 131), by: 4)
        story.tell(TraceEvent(.loginAnswered, 0, at: 140), by: 4)
        story.tell(TraceEvent(.shows, 17, at: 1200), by: 4)
        story.tell(TraceEvent(.deletes, 17, at: 2000), by: 4)
        story.tell(TraceEvent(.markAnswered, 17, at: 2010), by: 4)
        story.tell("device 4 asks the server", at: 3600)
        story.tell("message 17 is sent to person 2", at: 1000)
        story.tell(TraceEvent(.reads, 17, at: 1900), by: 9)
        #expect(
            story.lines == [
                "at 0.120 s device 4 registers",
                "at 0.131 s device 4 is registered",
                "at 0.131 s person 2 logs in on device 4",
                "at 0.140 s device 4 is told that this is done",
                "at 1.000 s message 17 is sent to person 2",
                "at 1.200 s device 4 shows message 17",
                "at 1.900 s device 9 reads message 17",
                "at 2.000 s device 4 deletes message 17",
                "at 2.010 s device 4 is told that its mark of message 17 is done",
                "at 3.600 s device 4 asks the server",
                "expected: message 17 is gone",
                "came: at 3.650 s: device 4: list shows a deleted message again: message 17 (sent to person 2)",
                "this breaks rule 4: deleted stays deleted",
            ])
    }

    @Test func `what backends do is told without a device`() {
        var story = FleetStory(of: difference(.recalled))
        story.tell(TraceEvent(.recalls, 17, at: 60_001), by: nil)
        story.tell(TraceEvent(.recallAnswered, 17, at: 60_020), by: nil)
        #expect(
            story.lines.prefix(2) == [
                "at 60.001 s a backend takes message 17 back",
                "at 60.020 s a backend is told that message 17 is taken back",
            ])
        #expect(story.lines.last == "this breaks rule 10: what is taken back is gone everywhere at once")
    }

    @Test(arguments: Difference.Kind.allCases)
    func `every kind of difference tells what was expected, and its rule in words`(kind: Difference.Kind) {
        for message in [17, nil] {
            let lines = FleetStory(of: difference(kind, message: message)).lines
            #expect(lines.count == (kind.rule == nil ? 2 : 3))
            #expect(lines.allSatisfy { !$0.hasSuffix(": ") && !$0.hasSuffix(":") })
        }
    }
}
