import ClientCore
import InboxClient
import InboxModel
import Platform
import Testing

struct StreamTests {
    private func watching() -> Shell {
        var shell = Shell()
        shell.begin(with: [.made(1)])
        shell.handle(.watching(true))
        shell.answer(.page(.changes([], cursor: "c1")))
        return shell
    }

    @Test func `whoever watches opens a stream, and asks when it is open`() {
        var shell = watching()
        #expect(shell.stream == [.openStream])
        shell.handle(.stream(.ready))
        #expect(shell.call == .changes(since: "c1"))
        shell.handle(.watching(false))
        #expect(shell.stream == [.openStream, .closeStream])
    }

    @Test func `hints that come while it asks are followed by one more question`() {
        var shell = watching()
        shell.handle(.stream(.ready))
        for _ in 0..<5 { shell.handle(.stream(.changed(within: nil))) }
        shell.answer(.page(.changes([.made(2)], cursor: "c2")))
        #expect(shell.call == .changes(since: "c2"))
        shell.answer(.page(.changes([], cursor: "c2")))
        #expect(shell.call == nil)
    }

    @Test func `a hint to everybody is followed at a random time within what it says`() {
        var shell = watching()
        shell.handle(.stream(.ready))
        shell.answer(.page(.changes([], cursor: "c1")))
        shell.handle(.stream(.changed(within: .seconds(20))))
        #expect(shell.call == nil)
        let wake = shell.wake ?? .zero
        #expect(wake > .zero && wake < .seconds(20))
        shell.pass(.seconds(20))
        #expect(shell.call == .changes(since: "c1"))
    }

    @Test func `after 40 seconds of silence another stream is opened`() {
        var shell = watching()
        shell.handle(.stream(.ready))
        shell.answer(.page(.changes([], cursor: "c1")))
        shell.pass(.seconds(30))
        shell.handle(.stream(.heard))
        shell.pass(.seconds(39))
        #expect(shell.stream == [.openStream])
        shell.pass(.seconds(1))
        #expect(shell.stream == [.openStream, .closeStream])
        shell.pass(.seconds(3))
        #expect(shell.stream.last == .openStream)
    }

    @Test func `a stream that cannot be opened is tried again after pauses that grow`() {
        var shell = watching()
        var pauses: [Duration] = []
        for _ in 0..<8 {
            shell.handle(.stream(.lost(retryAfter: nil)))
            let wake = (shell.wake ?? .zero) - shell.now.uptime
            pauses.append(wake)
            shell.pass(wake)
            #expect(shell.stream.last == .openStream)
        }
        #expect(pauses[0] <= .seconds(3))
        #expect(pauses[7] >= .seconds(30) && pauses[7] <= .seconds(60))
    }

    @Test func `with a void credential it does not come back before a call has succeeded`() {
        var shell = watching()
        shell.handle(.stream(.ready))
        shell.handle(.stream(.ended(reason: "credentials", mayReturn: false)))
        shell.pass(.seconds(100))
        #expect(shell.stream == [.openStream])
        shell.answer(.page(.changes([], cursor: "c1")))
        #expect(shell.stream == [.openStream])
        shell.pass(.seconds(3))
        #expect(shell.stream == [.openStream, .openStream])
    }
}

struct HintReaderTests {
    private static let text = """
        retry: 3000
        id: k-1
        event: ready
        data: {}

        id: k-2
        event: changed
        data: {"within":20}

        :

        event: end
        data: {"reason":"draining","retry":true}


        """

    private static let news: [StreamNews] = [
        .ready, .changed(within: .seconds(20)), .heard, .ended(reason: "draining", mayReturn: true),
    ]

    @Test(arguments: [1, 2, 7, 1000], ["\n", "\r\n", "\r"])
    func `events are read from pieces of any size, with any line end`(size: Int, end: String) {
        let bytes = Array(
            HintReaderTests.text.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: end).utf8)
        var reader = HintReader()
        var news: [StreamNews] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            news += reader.read(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(news == HintReaderTests.news)
    }

    @Test func `a damaged event does no harm, and the next one is read`() {
        var reader = HintReader()
        let long = String(repeating: "x", count: 100_000)
        let text =
            "event: changed\ndata: {\"within\":\n\nevent: \(long)\ndata: \(long)\n\nevent: ready\ndata: {}\n\n"
        #expect(reader.read(Array(text.utf8)) == [.changed(within: nil), .ready])
        #expect(reader.read([0xFF, 0xFE, 10, 10]) == [])
    }
}
