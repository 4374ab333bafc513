import HTTPCore
import InboxClient
import Platform
import Testing

/// What waits of an event stream until somebody takes it.
struct HintStreamTests {
    private let streams = ScriptedStreams()

    private func open() -> HintStream {
        let stream = HintStream()
        stream.open(Request(.get, "/"), at: BaseURL(host: "h", port: 1), over: streams)
        streams.say(.head(Response(status: 200)))
        return stream
    }

    @Test func `however much comes, a few pieces of news wait`() {
        let stream = open()
        streams.say("event: ready\n\n")
        for _ in 0..<10_000 { streams.say(":\n\nevent: changed\ndata: {\"within\":20}\n\nevent: ready\n\n") }
        #expect(stream.take() == [.ready, .changed(within: .seconds(20))])
        #expect(stream.take() == [])
    }

    @Test func `of hints that are joined the soonest counts`() {
        let stream = open()
        for within in [20, 5, 10] { streams.say("event: changed\ndata: {\"within\":\(within)}\n\n") }
        #expect(stream.take() == [.changed(within: .seconds(5))])
        streams.say("event: changed\ndata: {\"within\":5}\n\nevent: changed\ndata: {}\n\n")
        #expect(stream.take() == [.changed(within: nil)])
    }

    @Test func `signs of life are told, and go before anything else`() {
        let stream = open()
        for _ in 0..<9 { streams.say(":\n\n") }
        #expect(stream.take() == [.heard])
    }

    @Test func `behind its end nothing comes`() async {
        let stream = open()
        streams.say(
            "event: end\ndata: {\"reason\":\"draining\",\"retry\":true}\n\nevent: changed\ndata: {}\n\n")
        streams.say("event: changed\ndata: {}\n\n")
        streams.say(.end)
        #expect(stream.take() == [.ended(reason: "draining", mayReturn: true)])
        for await _ in stream.signals {}
    }

    @Test(arguments: [
        (Response(status: 401), StreamNews.ended(reason: "credentials", mayReturn: false)),
        (Response(status: 503, headers: ["Retry-After": "9"]), .lost(retryAfter: .seconds(9))),
        (Response(status: 302), .lost(retryAfter: nil)),
    ])
    func `a head other than 200 is the end`(response: Response, news: StreamNews) async {
        let stream = HintStream()
        stream.open(Request(.get, "/"), at: BaseURL(host: "h", port: 1), over: streams)
        streams.say(.head(response))
        streams.say("event: ready\n\n")
        #expect(stream.take() == [news])
        for await _ in streams.cancelled.stream { break }
    }
}
