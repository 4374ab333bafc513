import InboxModel
import Testing

@testable import SimulatorKit

/// What is news to a device beyond doubt.
struct NewsTests {
    /// Three devices, all logged in as person 0 but the last, whom the server keeps an inbox for.
    private func ledger(_ delivery: Delivery = .person) -> Ledger {
        var ledger = Ledger(delivery: delivery, tags: [0, 0, 1], people: 2)
        for device in 0..<3 {
            ledger.willRegister(device, at: ledger.moment(at: 0))
            ledger.didRegister(device, at: ledger.moment(at: 0))
        }
        for device in 0..<2 { ledger.logIn(device, as: 0) }
        return ledger
    }

    @Test(
        arguments: [
            (.device(1), [1]), (.person(0), [0, 1]), (.tag(0), [0, 1]), (.everyone, [0, 1, 2]),
            (.person(1), []),
        ] as [(Target, [Int])])
    func `a send is news to whoever shows it`(target: Target, devices: [Int]) {
        var ledger = ledger()
        let number = ledger.send(target)
        #expect(ledger.devices(of: target).filter { ledger.isNews(number, to: $0) } == devices)
    }

    @Test func `a send is no news where the login changes or changed meanwhile`() {
        var ledger = ledger()
        let number = ledger.willSend(to: .everyone, lifeSeconds: nil, at: ledger.moment(at: 0))
        ledger.logIn(0, as: 1)
        ledger.willChangeLogin(of: 1, to: nil, at: ledger.moment(at: 0))
        _ = ledger.didSend(number, as: MessageID(high: 1, low: 1), at: ledger.moment(at: 0))
        #expect((0..<3).filter { ledger.isNews(number, to: $0) } == [2])
    }

    @Test func `what a filter hides is no news`() {
        var ledger = ledger()
        ledger.filter = .on(untargeted: false)
        let number = ledger.send(.everyone, naming: 0)
        #expect((0..<3).filter { ledger.isNews(number, to: $0) } == [0, 1])
    }

    @Test func `a recall is news to who showed the message, unless somebody may have deleted it`() {
        var ledger = ledger()
        let number = ledger.send(.everyone)
        _ = ledger.willMark(.delete, [number], by: 2, at: ledger.moment(at: 0))
        let start = ledger.moment(at: 0)
        ledger.willRecall(number, at: start)
        ledger.didRecall(number, at: ledger.moment(at: 0))
        #expect((0..<3).filter { ledger.isLoss(number, to: $0, since: start) } == [0, 1])
    }

    @Test(arguments: [Mark.read, .delete])
    func `a person's mark is news to their other devices, the first time`(mark: Mark) {
        var ledger = ledger()
        let number = ledger.send(.person(0))
        #expect(ledger.witnesses(of: ledger.mark(mark, number, by: 0)) == [1])
        #expect(ledger.witnesses(of: ledger.mark(mark, number, by: 0)) == [])
        #expect(ledger.witnesses(of: ledger.mark(mark, number, by: 1)) == [])
    }

    @Test func `a mark is no news that may change nothing, or not what others show`() {
        var ledger = ledger()
        let (short, own, shared) = (
            ledger.send(.person(0), life: 5), ledger.send(.device(0)), ledger.send(.everyone)
        )
        for number in [short, own, shared] {
            #expect(ledger.witnesses(of: ledger.mark(.delete, number, by: 0)) == [])
        }
        let unread = ledger.send(.person(0))
        #expect(ledger.witnesses(of: ledger.mark(.unread, unread, by: 0)) == [])
        #expect(ledger.witnesses(of: ledger.mark(.read, unread, by: 0)) == [])
        var other = self.ledger(.devices)
        let copied = other.send(.person(0))
        #expect(other.witnesses(of: other.mark(.read, copied, by: 0)) == [])
    }

    @Test(
        arguments: [
            (true, nil), (false, Difference.Kind.readByNobody),
        ] as [(Bool, Difference.Kind?)])
    func `a single message is judged as one of a list`(isUnread: Bool, kind: Difference.Kind?) {
        var ledger = ledger()
        let item = Listed(ledger.send(.person(0)), isUnread: isUnread)
        let span = Span(start: ledger.moment(at: 0), end: ledger.moment(at: 0))
        #expect(ledger.check(item, of: 0, during: span, source: "message")?.kind == kind)
        #expect(ledger.check(item, of: 2, during: span, source: "message")?.kind == .foreign)
    }
}

extension Ledger {
    fileprivate mutating func logIn(_ device: Int, as person: Int?) {
        willChangeLogin(of: device, to: person, at: moment(at: 0))
        didChangeLogin(of: device, to: person, at: moment(at: 0))
    }

    fileprivate mutating func send(_ target: Target, naming named: Int? = nil, life: Int64? = nil) -> Int {
        let number = willSend(to: target, naming: named, lifeSeconds: life, at: moment(at: 0))
        _ = didSend(number, as: MessageID(high: 1, low: UInt64(number)), at: moment(at: 0))
        return number
    }

    fileprivate mutating func mark(_ mark: Mark, _ number: Int, by device: Int) -> MarkTicket {
        let ticket = willMark(mark, [number], by: device, at: moment(at: 0))
        didMark(ticket, at: moment(at: 0))
        return ticket
    }
}
