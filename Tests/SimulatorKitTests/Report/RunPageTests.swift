import Foundation
import Platform
import Testing

@testable import SimulatorKit

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct RunPageTests {
    /// Reads a page as XML, strictly.
    private final class PageReader: NSObject, XMLParserDelegate {
        private(set) var elements: [String] = []
        private(set) var attributes: Set<String> = []
        private(set) var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append(name)
            self.attributes.formUnion(attributes.keys)
        }

        func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
    }

    private func read(_ record: RunRecord) throws -> PageReader {
        let (parser, reader) = (XMLParser(data: Data(RunPage(record).html.utf8)), PageReader())
        parser.delegate = reader
        try #require(parser.parse(), "\(parser.lineNumber): \(String(describing: parser.parserError))")
        return reader
    }

    @Test func `a page is well formed and needs nothing else`() throws {
        let page = try read(RunSample.record())
        #expect(Set(page.elements).isDisjoint(with: ["script", "link", "img", "iframe", "a"]))
        #expect(page.attributes.isDisjoint(with: ["src", "href", "onclick", "onload"]))
        #expect(page.text.contains("Every inbox was right: 5,000 of 5,000."))
        let html = RunPage(RunSample.record()).html
        #expect(!html.contains("url(") && !html.contains("@import"))
        // Beside the server's: the name of the language, and the policy.
        #expect(html.ranges(of: "http").count == html.ranges(of: "http://127.0.0.1:8080").count + 2)
    }

    @Test func `texts of a run are never markup`() throws {
        let page = try read(RunSample.wrong())
        #expect(!page.elements.contains("script") && !page.elements.contains("b"))
        #expect(page.text.contains("</li><script>alert(1)</script> &amp;"))
        #expect(page.text.contains("Tags & <b>bold</b> \"quoted\" 'words' ]]> \u{FFFD} \u{FFFD}drawkcab"))
        #expect(page.text.contains("Wrong: 4,998 of 5,000 inboxes were right, 4 differences."))
        #expect(page.text.contains("The run was interrupted."))
    }

    @Test func `each plot has a title, a text alternative and its numbers`() throws {
        let html = RunPage(RunSample.record()).html
        let page = try read(RunSample.record())
        let plots = page.elements.count { $0 == "figure" }
        #expect(plots == RunPlots.times.count + RunPlots.load.count + RunPlots.own.count + 2)
        #expect(html.ranges(of: "role=\"img\" aria-label=").count == page.elements.count { $0 == "svg" })
        #expect(page.elements.count { $0 == "details" } == plots)
    }

    @Test func `a run in which nothing happened has a page`() throws {
        let record = RunRecord(
            "", run: "", by: "", started: .init(seconds: 0), loadTime: .zero,
            verdict: RunVerdict(devices: 0, right: 0))
        let page = try read(record)
        #expect(page.text.contains("None."))
    }

    @Test func `a long run makes a page that a browser likes`() throws {
        let html = RunPage(RunSample.record(seconds: 5000, rate: 4)).html
        #expect(html.utf8.count < 1_500_000)
    }
}
