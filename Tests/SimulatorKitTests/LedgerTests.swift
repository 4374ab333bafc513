import InboxModel
import SimulatorKit
import Testing

/// A ledger of two devices (0 and 1, tags 0 and 1) and two people, with a clock that each event advances by 10 ms.
private final class Story {
    var ledger: Ledger
    private var now: Int64 = 0

    init(_ delivery: Delivery = .devices) {
        ledger = Ledger(delivery: delivery, tags: [0, 1], people: 2)
        register(0)
        register(1)
    }

    func moment() -> Moment {
        now += 10
        return ledger.moment(at: now)
    }

    func wait(milliseconds: Int64) { now += milliseconds }

    func register(_ device: Int) {
        ledger.willRegister(device, at: moment())
        ledger.didRegister(device, at: moment())
    }

    func logIn(_ device: Int, _ person: Int?) {
        ledger.willChangeLogin(of: device, to: person, at: moment())
        ledger.didChangeLogin(of: device, to: person, at: moment())
    }

    func send(_ target: Target, life: Int64? = nil, isAnswered: Bool = true) -> Int {
        let number = ledger.willSend(to: target, lifeSeconds: life, at: moment())
        if isAnswered { answer(number) }
        return number
    }

    func answer(_ number: Int) {
        let accepted = ledger.didSend(number, as: MessageID(high: 1, low: UInt64(number)), at: moment())
        precondition(accepted, "each message has one id here")
    }

    func mark(_ mark: Mark, _ number: Int, by device: Int, isAnswered: Bool = true) {
        let ticket = ledger.willMark(mark, [number], by: device, at: moment())
        if isAnswered { ledger.didMark(ticket, at: moment()) }
    }

    /// What is wrong with a list that shows these messages, unread but for those in `read`.
    func list(_ device: Int, _ numbers: [Int], read: Set<Int> = []) -> [Difference.Kind] {
        let start = moment()
        let span = Span(start: start, end: moment())
        let listed = numbers.map { Listed($0, isUnread: !read.contains($0)) }
        return ledger.check(listed, of: device, during: span, source: "list").map(\.kind)
    }
}

struct LedgerTests {
    @Test func `an answered send must be listed, and by its device only`() {
        let story = Story()
        let message = story.send(.device(0))
        #expect(story.list(0, []) == [.missing])
        #expect(story.list(0, [message]) == [])
        #expect(story.list(1, [message]) == [.foreign])
        #expect(story.list(1, []) == [])
    }

    @Test func `an unanswered send may be listed or not, but once seen it stays`() {
        let story = Story()
        let message = story.send(.device(0), isAnswered: false)
        #expect(story.list(0, []) == [])
        #expect(story.list(0, [message]) == [])
        #expect(story.list(0, []) == [.missing])
    }

    @Test func `a send seen by one device must reach all of its audience`() {
        let story = Story()
        story.logIn(0, 0)
        story.logIn(1, 0)
        let message = story.send(.person(0), isAnswered: false)
        #expect(story.list(0, []) == [])
        #expect(story.list(1, [message]) == [])
        #expect(story.list(0, []) == [.missing])
    }

    @Test func `a list that was asked for before a send was answered may lack it`() {
        let story = Story()
        let message = story.ledger.willSend(to: .device(0), lifeSeconds: nil, at: story.moment())
        let start = story.moment()
        story.answer(message)
        let span = Span(start: start, end: story.moment())
        let differences = story.ledger.check([], of: 0, during: span, source: "list")
        #expect(differences == [])
        #expect(story.list(0, []) == [.missing])
    }

    @Test func `a message is listed once`() {
        let story = Story()
        let message = story.send(.device(0))
        #expect(story.list(0, [message, message]) == [.listedTwice])
    }

    @Test func `an answered delete lasts`() {
        let story = Story()
        let message = story.send(.device(0))
        story.mark(.delete, message, by: 0)
        #expect(story.list(0, []) == [])
        #expect(story.list(0, [message]) == [.resurrected])
    }

    @Test func `an unanswered delete may have happened, and lasts once its message was gone`() {
        let story = Story()
        let message = story.send(.device(0))
        story.mark(.delete, message, by: 0, isAnswered: false)
        #expect(story.list(0, [message]) == [])
        #expect(story.list(0, []) == [])
        #expect(story.list(0, [message]) == [.resurrected])
    }

    @Test func `an answered read lasts, and nothing is read that nobody read`() {
        let story = Story()
        let message = story.send(.device(0))
        #expect(story.list(0, [message], read: [message]) == [.readByNobody])
        story.mark(.read, message, by: 0)
        #expect(story.list(0, [message], read: [message]) == [])
        #expect(story.list(0, [message]) == [.unreadAgain])
    }

    @Test func `an unanswered read lasts once it was seen`() {
        let story = Story()
        let message = story.send(.device(0))
        story.mark(.read, message, by: 0, isAnswered: false)
        #expect(story.list(0, [message]) == [])
        #expect(story.list(0, [message], read: [message]) == [])
        #expect(story.list(0, [message]) == [.unreadAgain])
    }

    @Test func `a recalled message is gone once the recall was answered`() {
        let story = Story()
        let message = story.send(.device(0))
        story.ledger.willRecall(message, at: story.moment())
        #expect(story.list(0, [message]) == [])
        story.ledger.didRecall(message, at: story.moment())
        #expect(story.list(0, []) == [])
        #expect(story.list(0, [message]) == [.recalled])
    }

    @Test func `a message lives to its second and no longer`() {
        let story = Story()
        let message = story.send(.device(0), life: 5)
        story.wait(milliseconds: 3500)
        #expect(story.list(0, []) == [.missing])
        #expect(story.list(0, [message]) == [])
        story.wait(milliseconds: 1500)
        #expect(story.list(0, [message]) == [])
        #expect(story.list(0, []) == [])
        story.wait(milliseconds: 1500)
        #expect(story.list(0, [message]) == [.expired])
    }

    @Test func `a broadcast shows on whoever registered before it`() {
        let story = Story()
        story.ledger = Ledger(delivery: .devices, tags: [0, 1, 2], people: 0)
        story.register(0)
        story.ledger.willRegister(1, at: story.moment())
        let message = story.send(.everyone)
        story.ledger.didRegister(1, at: story.moment())
        story.register(2)
        #expect(story.list(0, []) == [.missing])
        #expect(story.list(1, []) == [])
        #expect(story.list(1, [message]) == [])
        #expect(story.list(1, []) == [.missing], "its baseline does not change any more")
        #expect(story.list(2, [message]) == [.foreign])
    }

    @Test func `a broadcast older than the device shows while a person older than it is logged in`() {
        let story = Story()
        story.ledger = Ledger(delivery: .person, tags: [0, 1], people: 1)
        story.register(0)
        story.logIn(0, 0)
        let message = story.send(.everyone)
        story.register(1)
        #expect(story.list(1, [message]) == [.foreign])
        story.logIn(1, 0)
        #expect(story.list(1, []) == [.missing])
        story.logIn(1, nil)
        #expect(story.list(1, [message]) == [.foreign])
    }

    @Test func `a person's mark of a broadcast ends with the login on other devices only`() {
        let story = Story(.person)
        story.logIn(0, 0)
        story.logIn(1, 0)
        let message = story.send(.everyone)
        story.mark(.delete, message, by: 0)
        #expect(story.list(1, [message]) == [.resurrected])
        story.logIn(1, nil)
        #expect(story.list(1, []) == [.missing])
        story.logIn(0, nil)
        #expect(story.list(0, [message]) == [.resurrected])
    }

    @Test func `of two devices that delete one broadcast the later one's own row is in doubt`() {
        let story = Story(.person)
        story.logIn(0, 0)
        story.logIn(1, 0)
        let message = story.send(.everyone)
        story.mark(.delete, message, by: 0)
        story.mark(.delete, message, by: 1)
        story.logIn(1, nil)
        #expect(story.list(1, [message]) == [])
    }

    @Test func `the person's inbox comes with the login and goes with it`() {
        let story = Story(.person)
        story.logIn(0, 0)
        let message = story.send(.person(0))
        #expect(story.list(0, []) == [.missing])
        story.logIn(0, nil)
        #expect(story.list(0, [message]) == [.foreign])
        story.logIn(1, 0)
        #expect(story.list(1, [message]) == [])
        story.mark(.read, message, by: 1)
        story.logIn(0, 0)
        #expect(story.list(0, [message]) == [.unreadAgain])
    }

    @Test func `a message to a person stays on the device where messages are kept by device`() {
        let story = Story(.devices)
        story.logIn(0, 0)
        let message = story.send(.person(0))
        story.logIn(0, nil)
        story.logIn(1, 0)
        #expect(story.list(0, []) == [.missing])
        #expect(story.list(1, [message]) == [.foreign])
    }

    @Test func `who logs in while a message to the person is under way may get it`() {
        let story = Story(.devices)
        story.logIn(0, 0)
        let message = story.send(.person(0), isAnswered: false)
        story.logIn(1, 0)
        story.logIn(0, nil)
        story.answer(message)
        for device in 0...1 {
            #expect(story.list(device, []) == [])
            #expect(story.list(device, [message]) == [])
        }
    }

    @Test func `a message to a person whom nobody ever was reaches nobody`() {
        let story = Story(.person)
        let message = story.send(.person(1))
        story.logIn(0, 1)
        #expect(story.list(0, []) == [])
        #expect(story.list(0, [message]) == [], "the model does not look that close")
    }

    @Test func `a tag reaches those who carry it`() {
        let story = Story()
        let message = story.send(.tag(1))
        #expect(story.list(0, [message]) == [.foreign])
        #expect(story.list(1, []) == [.missing])
    }

    @Test func `what may be beyond the cap may be gone`() {
        var limits = LedgerLimits()
        (limits.deliveriesPerInbox, limits.sendsUnderWay) = (10, 2)
        let story = Story()
        story.ledger = Ledger(delivery: .devices, tags: [0], people: 0, limits: limits)
        story.register(0)
        let messages = (0..<12).map { _ in story.send(.device(0)) }
        #expect(story.list(0, Array(messages.suffix(8))) == [])
        #expect(story.list(0, Array(messages.suffix(7))) == [.missing])
    }

    @Test(arguments: [Mark.read, .delete])
    func `what a device deleted before a login it cannot mark for the person`(mark: Mark) {
        let story = Story(.person)
        story.logIn(1, 0)
        let message = story.send(.everyone)
        story.mark(.delete, message, by: 0)
        story.logIn(0, 0)
        story.mark(mark, message, by: 0)
        #expect(story.list(0, []) == [])
        #expect(story.list(1, [message]) == [])
    }

    @Test(arguments: [Target.device(0), .everyone, .person(0)])
    func `what has fallen out by the cap never returns`(target: Target) {
        var limits = LedgerLimits()
        (limits.deliveriesPerInbox, limits.sendsUnderWay) = (3, 0)
        let story = Story()
        story.ledger = Ledger(delivery: .person, tags: [0], people: 1, limits: limits)
        story.register(0)
        story.logIn(0, 0)
        let messages = (0..<4).map { _ in story.send(target) }
        #expect(story.list(0, messages) == [])
        #expect(story.list(0, Array(messages.suffix(3))) == [])
        story.mark(.delete, messages[3], by: 0)
        #expect(story.list(0, Array(messages.prefix(3))) == [.returned])
        let start = story.moment()
        let span = Span(start: start, end: story.moment())
        #expect(story.ledger.unreadCount(on: 0, during: span).upperBound == 2)
        #expect(story.ledger.absence(of: messages[0], on: 0, during: span) == .returned)
        #expect(story.ledger.absence(of: messages[1], on: 0, during: span) == nil)
    }

    @Test func `an answer that does not tell of a change is stale, whatever the change was`() {
        func kind(_ kind: Difference.Kind, told: Set<Int>?) -> Difference.Kind {
            Difference(kind, device: 0, message: 7, in: ("changes", 0)).blamed(on: told).kind
        }
        for changed in [Difference.Kind.resurrected, .returned, .recalled, .unreadAgain, .foreign] {
            #expect(kind(changed, told: []) == .stale)
            #expect(kind(changed, told: [3]) == .stale)
            #expect(kind(changed, told: [7]) == changed)
            #expect(kind(changed, told: nil) == changed)
        }
        #expect(kind(.missing, told: []) == .stale)
        #expect(kind(.missing, told: [3]) == .missing)
        #expect(kind(.expired, told: []) == .expired)
    }

    @Test func `one send under two ids was sent twice`() {
        let story = Story()
        let message = story.ledger.willSend(to: .device(0), lifeSeconds: nil, at: story.moment())
        let (one, other) = (MessageID(high: 0, low: 1), MessageID(high: 0, low: 2))
        let first = story.ledger.identify(message, as: one)
        let second = story.ledger.identify(message, as: other)
        let isAccepted = story.ledger.didSend(message, as: other, at: story.moment())
        let stranger = story.ledger.identify(99, as: other)
        #expect(first == .success(message))
        #expect(second == .failure(.sentTwice))
        #expect(!isAccepted)
        #expect(stranger == .failure(.unknown))
    }
}
