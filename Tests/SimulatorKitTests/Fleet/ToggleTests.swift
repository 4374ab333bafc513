import InboxModel
import SimulatorKit
import Testing

/// Messages that are marked unread again: the last mark counts, and of overlapping ones any may be the last.
struct ToggleTests {
    private func ledger() -> (Ledger, Int) {
        var ledger = Ledger(delivery: .devices, tags: [0], people: 1)
        ledger.willRegister(0, at: ledger.moment(at: 0))
        ledger.didRegister(0, at: ledger.moment(at: 0))
        let number = ledger.willSend(to: .device(0), lifeSeconds: nil, at: ledger.moment(at: 0))
        _ = ledger.didSend(number, as: MessageID(high: 1, low: 1), at: ledger.moment(at: 0))
        return (ledger, number)
    }

    private func differences(_ ledger: inout Ledger, _ number: Int, isUnread: Bool) -> [Difference.Kind] {
        let span = Span(start: ledger.moment(at: 0), end: ledger.moment(at: 0))
        return ledger.check([Listed(number, isUnread: isUnread)], of: 0, during: span, source: "list").map(
            \.kind)
    }

    private func mark(_ ledger: inout Ledger, _ mark: Mark, _ number: Int) {
        let ticket = ledger.willMark(mark, [number], by: 0, at: ledger.moment(at: 0))
        ledger.didMark(ticket, at: ledger.moment(at: 0))
    }

    @Test func `after each answered mark only what it says is right`() {
        var (ledger, number) = ledger()
        for (mark, isUnread) in [(Mark.read, false), (.unread, true), (.read, false), (.unread, true)] {
            self.mark(&ledger, mark, number)
            #expect(differences(&ledger, number, isUnread: isUnread) == [])
            #expect(
                differences(&ledger, number, isUnread: !isUnread) == [isUnread ? .readByNobody : .unreadAgain]
            )
        }
    }

    @Test func `while a mark is under way both are right, and what is counted too`() {
        var (ledger, number) = ledger()
        mark(&ledger, .unread, number)
        mark(&ledger, .read, number)
        let ticket = ledger.willMark(.unread, [number], by: 0, at: ledger.moment(at: 0))
        for isUnread in [true, false] { #expect(differences(&ledger, number, isUnread: isUnread) == []) }
        let span = Span(start: ledger.moment(at: 0), end: ledger.moment(at: 0))
        #expect(ledger.unreadCount(on: 0, during: span) == 0...1)
        ledger.didMark(ticket, at: ledger.moment(at: 0))
        let later = Span(start: ledger.moment(at: 0), end: ledger.moment(at: 0))
        #expect(ledger.unreadCount(on: 0, during: later) == 1...1)
    }

    @Test func `a read that was begun before the first mark as unread may come behind it`() {
        var (ledger, number) = ledger()
        mark(&ledger, .read, number)
        let open = ledger.willMark(.read, [number], by: 0, at: ledger.moment(at: 0))
        mark(&ledger, .unread, number)
        for isUnread in [true, false] { #expect(differences(&ledger, number, isUnread: isUnread) == []) }
        ledger.didMark(open, at: ledger.moment(at: 0))
        for isUnread in [true, false] { #expect(differences(&ledger, number, isUnread: isUnread) == []) }
    }

    @Test func `a mark that was never answered may come at any time`() {
        var (ledger, number) = ledger()
        _ = ledger.willMark(.unread, [number], by: 0, at: ledger.moment(at: 0))
        mark(&ledger, .read, number)
        for isUnread in [true, false] { #expect(differences(&ledger, number, isUnread: isUnread) == []) }
    }
}

struct FilterLedgerTests {
    @Test func `what names another is hidden, and told as such when it is shown`() {
        var ledger = Ledger(delivery: .devices, tags: [0], people: 2)
        ledger.filter = .on(untargeted: false)
        ledger.willRegister(0, at: ledger.moment(at: 0))
        ledger.didRegister(0, at: ledger.moment(at: 0))
        ledger.willChangeLogin(of: 0, to: 1, at: ledger.moment(at: 0))
        ledger.didChangeLogin(of: 0, to: 1, at: ledger.moment(at: 0))
        var numbers: [Int] = []
        for named in [0, 1, nil] as [Int?] {
            let number = ledger.willSend(
                to: .device(0), naming: named, lifeSeconds: nil, at: ledger.moment(at: 0))
            _ = ledger.didSend(number, as: MessageID(high: 1, low: UInt64(number)), at: ledger.moment(at: 0))
            numbers.append(number)
        }
        let span = Span(start: ledger.moment(at: 0), end: ledger.moment(at: 0))
        let all = numbers.map { Listed($0, isUnread: true) }
        #expect(ledger.check([all[1]], of: 0, during: span, source: "list") == [])
        #expect(ledger.check(all, of: 0, during: span, source: "list").map(\.kind) == [.hidden, .hidden])
        #expect(ledger.check([], of: 0, during: span, source: "list").map(\.kind) == [.missing])
    }

    @Test func `a clock that is set forward ends lives sooner`() {
        var ledger = Ledger(delivery: .devices, tags: [0], people: 1)
        ledger.willRegister(0, at: ledger.moment(at: 0))
        ledger.didRegister(0, at: ledger.moment(at: 0))
        let number = ledger.willSend(to: .device(0), lifeSeconds: 60, at: ledger.moment(at: 0))
        _ = ledger.didSend(number, as: MessageID(high: 1, low: 1), at: ledger.moment(at: 0))
        func kinds(_ list: [Listed]) -> [Difference.Kind] {
            let span = Span(start: ledger.moment(at: 1000), end: ledger.moment(at: 1000))
            return ledger.check(list, of: 0, during: span, source: "list").map(\.kind)
        }
        #expect(kinds([]) == [.missing])
        ledger.willStepClock(byMilliseconds: 100_000)
        #expect(kinds([]) == [])
        #expect(kinds([Listed(number, isUnread: true)]) == [])
        ledger.didStepClock(byMilliseconds: 100_000)
        #expect(kinds([Listed(number, isUnread: true)]) == [.expired])
    }

    @Test func `after an older state was restored what came since must not show`() {
        var ledger = Ledger(delivery: .devices, tags: [0], people: 1)
        ledger.willRegister(0, at: ledger.moment(at: 0))
        ledger.didRegister(0, at: ledger.moment(at: 0))
        let dump = ledger
        let number = ledger.willSend(to: .device(0), lifeSeconds: nil, at: ledger.moment(at: 0))
        _ = ledger.didSend(number, as: MessageID(high: 1, low: 1), at: ledger.moment(at: 0))
        ledger.returnTo(dump)
        let span = Span(start: ledger.moment(at: 0), end: ledger.moment(at: 0))
        #expect(ledger.check([], of: 0, during: span, source: "list") == [])
        let kinds = ledger.check([Listed(number, isUnread: true)], of: 0, during: span, source: "list").map(
            \.kind)
        #expect(kinds == [.foreign])
        #expect(ledger.willSend(to: .device(0), lifeSeconds: nil, at: ledger.moment(at: 0)) == number + 1)
    }
}
