import EventLoop
import HTTPCore
import InboxModel
import InboxService
import InboxWire

extension Shard {
    /// `GET /v1/inbox/events`: says when the reader's view may have changed, for as long as both sides like.
    ///
    /// What changed between the look-up and the registration is found by the client, which asks once it is told `ready`.
    static func openEvents(
        _ shard: isolated Shard, _ call: Call, _ credential: Credential
    ) async throws -> Response {
        let headers: Headers = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
        ]
        var response = Response(status: 200, headers: headers)
        if call.request.method == .head {
            response.stream = ResponseStream { _ in }
        } else {
            response.stream = try shard.openStream(credential, in: try await shard.store.epoch)
        }
        return response
    }

    private func openStream(_ credential: Credential, in epoch: UInt64) throws -> ResponseStream {
        let most = configuration.limits.streamsPerCredential
        guard configuration.streamCounts.open(credential.reader.user, most: most) else {
            throw WireError.rateLimited(
                "this credential has \(most) open streams: close one of them",
                limit: Limit("streams_per_credential", most), retryAfter: 10)
        }
        let stream = EventStream(credential, in: epoch)
        let body = stream.open { stream, reason in self.closed(stream, reason) }
        body.send(InboxEvent.ready(desk.nextEvent()))
        desk.streams.add(stream)
        startWatching()
        return body
    }

    private func closed(_ stream: EventStream, _ reason: ResponseStream.Reason) {
        if reason == .draining { stream.body?.send(InboxEvent.end(.draining, retry: true)) }
        configuration.streamCounts.close(stream.user)
        desk.streams.remove(stream)
        if desk.streams.count == 0 { stopWatching() }
    }

    // MARK: Saying

    /// Sends an event, unless the client does not take what it was sent before.
    func say(_ event: [UInt8], on stream: EventStream) {
        guard let body = stream.body, body.isOpen else { return }
        guard body.waitingBytes <= configuration.streams.waitingBytes else {
            return end(stream, .slow, retry: true)
        }
        body.send(event)
    }

    /// Says why, and ends the stream.
    func end(_ stream: EventStream, _ reason: InboxEvent.End, retry: Bool) {
        guard let body = stream.body, body.isOpen else { return }
        body.send(InboxEvent.end(reason, retry: retry))
        body.end()
    }

    // MARK: Taking turns

    private func startWatching() {
        guard desk.listener == nil else { return }
        desk.listener = configuration.hints.watch { [weak self] in
            guard let self else { return }
            loop.execute { self.assumeIsolated { $0.takeHints() } }
        }
        waitForTurn()
    }

    private func stopWatching() {
        if let listener = desk.listener { configuration.hints.leave(listener) }
        desk.listener = nil
        desk.timer?.cancel()
        desk.timer = nil
    }

    private func waitForTurn() {
        let pause = configuration.streams.heartbeat / EventStreams.bucketCount
        desk.timer = loop.timer(after: pause) {
            self.waitForTurn()
            self.takeTurn()
        }
    }

    /// Sends the heartbeats of one bucket, and has the revisions of some read.
    private func takeTurn() {
        let pace = configuration.streams
        let (round, bucket) = desk.turn.quotientAndRemainder(dividingBy: EventStreams.bucketCount)
        let isLookupDue = (round + bucket).isMultiple(of: max(1, pace.heartbeatsPerLookup))
        for stream in desk.streams[bucket: bucket] {
            say(InboxEvent.heartbeat, on: stream)
            if isLookupDue { lookUp(stream) }
        }
        let turnsPerPoll = pace.turnsPerPoll
        let share = desk.turn % turnsPerPoll
        for bucket in stride(from: share, to: EventStreams.bucketCount, by: turnsPerPoll) {
            doubt(desk.streams[bucket: bucket])
        }
        if share == 0 { doubtApps() }
        desk.turn += 1
    }
}
