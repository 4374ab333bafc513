import InboxWire
import Testing

@testable import martlet

struct ProgressTests {
    @Test(arguments: [
        (0, 5000, "[..............................] delivered 0 of about 5000"),
        (2500, 5000, "[###############...............] delivered 2500 of about 5000"),
        (5001, 5000, "[##############################] delivered 5001 of about 5000"),
        (0, 0, "[..............................] delivered 0 of about 0"),
    ])
    func `a bar shows how much is done, and the numbers`(delivered: Int64, estimate: Int64, bar: String) {
        let progress = Progress(delivered: delivered, estimate: estimate)
        #expect(progress.line(isBar: true) == bar)
        #expect(progress.line(isBar: false) == "delivered \(delivered) of about \(estimate)")
    }

    @Test func `only a message on its way has one`() throws {
        let text = #"{"state": "delivering", "progress": {"delivered": 5, "estimate": 9}}"#
        #expect(Progress(try JSON(parsing: Array(text.utf8))) == Progress(delivered: 5, estimate: 9))
        for text in ["{}", #"{"state": "sent"}"#, #"{"state": "delivering"}"#, "null"] {
            #expect(Progress(try JSON(parsing: Array(text.utf8))) == nil)
        }
    }
}
