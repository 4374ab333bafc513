import EventLoop
import Platform
import SimulatorKit

/// What a link does to requests and answers.
extension Link {
    /// The longest request that is kept for a repetition.
    private static let repeatableBytes = 64 << 10

    func clientSent(_ bytes: ArraySlice<UInt8>) {
        if isSilent { return }
        let isFirst = phase != .asking
        if isFirst { beginRequest() }
        keep(bytes)
        guard isFirst else { return passToServer(bytes) }
        switch fate.harm {
        case .resetBefore:
            count(.resetBefore)
            end(byReset: true)
        case .loss:
            count(.loss)
            isSilent = true
        case .stall:
            count(.stall)
            let cut = bytes.startIndex + fate.cut(bytes.count)
            passToServer(bytes[..<cut])
            holdRequest(Array(bytes[cut...]), for: fate.lasting)
        case .truncation, .resetUnanswered, .resetWithin, .repetition, .delay, .freeze, .refusal, nil:
            guard fate.requestDelay > .zero else { return passToServer(bytes) }
            count(.delay)
            holdRequest(Array(bytes), for: fate.requestDelay)
        }
    }

    func serverSent(_ bytes: ArraySlice<UInt8>) {
        if isSilent { return }
        guard phase == .asking else { return passToClient(bytes) }
        phase = .answering
        switch fate.harm {
        case .resetUnanswered:
            count(.resetUnanswered)
            end(byReset: true)
        case .repetition:
            repeatRequest(answer: Array(bytes))
        case .truncation, .resetWithin, .loss, .resetBefore, .stall, .delay, .freeze, .refusal, nil:
            guard fate.answerDelay > .zero else { return answerBegins(bytes) }
            let answer = Array(bytes)
            server?.isHeld = true
            hold(for: fate.answerDelay) { [self] in
                server?.isHeld = false
                answerBegins(answer[...])
            }
        }
    }

    /// No harm from now on; what is silent is reset, and what is held goes on at once.
    func heal() {
        fate = .none
        sentence?.cancel()
        sentence = nil
        if isSilent { return end(byReset: true) }
        if let hold {
            hold.timer.cancel()
            goOn()
        }
    }

    // MARK: Requests

    private func beginRequest() {
        phase = .asking
        fate = Fate(traffic.rates, &dice)
        traffic.counts.requests += 1
        sentence?.cancel()
        sentence = nil
        request = fate.harm == .repetition ? [] : nil
    }

    private func keep(_ bytes: ArraySlice<UInt8>) {
        guard let kept = request else { return }
        let isTooLong = kept.count + bytes.count > Link.repeatableBytes
        if isTooLong { request = nil } else { request?.append(contentsOf: bytes) }
    }

    private func holdRequest(_ bytes: [UInt8], for time: Duration) {
        client.isHeld = true
        hold(for: time) { [self] in
            client.isHeld = false
            passToServer(bytes[...])
        }
    }

    private func hold(for time: Duration, _ action: @escaping () -> Void) {
        let timer = traffic.loop.timer(after: time) { [weak self] in self?.goOn() }
        hold = Hold(timer: timer, action: action)
    }

    private func goOn() {
        let held = hold
        hold = nil
        held?.action()
        look()
    }

    // MARK: Answers

    /// Sends the request again, and passes the answer on after that; so no later request can overtake its double.
    private func repeatRequest(answer: [UInt8]) {
        guard let request, let target = traffic.targets.randomElement(using: &dice),
            let repeating = traffic.repetition(of: request, to: target)
        else { return answerBegins(answer[...]) }
        count(.repetition)
        server?.isHeld = true
        repetition = repeating
        repeating.begin { [weak self] outcome in
            guard let self else { return }
            repetition = nil
            // Nobody can say when it takes effect: only a request without an answer may have that.
            if outcome == .open { return end(byReset: true) }
            server?.isHeld = false
            answerBegins(answer[...])
            look()
        }
    }

    private func answerBegins(_ bytes: ArraySlice<UInt8>) {
        let isStream = bytes.prefix(Link.streamHeadBytes).contains(Link.streamType)
        switch fate.harm {
        case .truncation, .resetWithin:
            if isStream { return streamBegins(bytes) { [self] in cut() } }
            passToClient(bytes.prefix(fate.cut(bytes.count)))
            cut()
        case .loss, .resetBefore, .resetUnanswered, .repetition, .stall, .delay, .freeze, .refusal, nil:
            guard isStream, fate.freezes else { return passToClient(bytes) }
            streamBegins(bytes) { [self] in
                count(.freeze)
                isSilent = true
                look()
            }
        }
    }

    /// What tells an event stream from other answers; its head comes in one piece.
    private static let streamType = Array("text/event-stream".utf8)

    /// Far beyond the head that our server gives a stream.
    private static let streamHeadBytes = 1_024

    private func streamBegins(_ bytes: ArraySlice<UInt8>, _ action: @escaping () -> Void) {
        passToClient(bytes)
        sentence = traffic.loop.timer(after: fate.lasting) { [weak self] in
            guard let self else { return }
            sentence = nil
            action()
        }
    }

    private func cut() {
        if fate.harm == .truncation {
            count(.truncation)
            truncate()
            look()
        } else {
            count(.resetWithin)
            end(byReset: true)
        }
    }

    private func count(_ kind: FaultKind) { traffic.counts[kind] += 1 }
}
