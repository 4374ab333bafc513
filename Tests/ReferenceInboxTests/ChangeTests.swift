import InboxModel
import Platform
import ReferenceInbox
import Testing

/// What changes a view: rules 4, 5, 8 and 10, the cap, and moving inboxes.
@Suite struct ChangeTests {
    @Test func `deleted stays deleted, and only what a view shows can be marked`() {
        var stage = Stage()
        let (phone, other) = (stage.phone(), stage.phone())
        let message = stage.send(to: phone.audience)
        stage.mark(message, MessageID(high: 99, low: 0), as: .delete, by: other.user)
        #expect(stage.ids(phone.user) == [message])
        stage.mark(message, as: .delete, by: phone.user)
        for mark in [ReferenceInbox.Mark.read, .unread] { stage.mark(message, as: mark, by: phone.user) }
        #expect(stage.ids(phone.user) == [])
    }

    @Test func `a mark of a broadcast counts on the device after logout, and with the person elsewhere`() {
        var stage = Stage()
        let (phone, tablet) = (stage.phone(), stage.phone())
        for phone in [phone, tablet] { stage.model.login(phone.channel, as: .ana) }
        let message = stage.send(to: .everyone)
        stage.mark(message, as: .read, by: phone.user)
        #expect(stage.unread(tablet.user) == [])
        stage.model.logout(tablet.channel)
        #expect(stage.unread(tablet.user) == [message], "the device has no row of its own")
        stage.model.logout(phone.channel)
        #expect(stage.unread(phone.user) == [])
    }

    @Test func `login copies nothing, and deleted in either is deleted`() {
        var stage = Stage()
        let (phone, tablet) = (stage.phone(), stage.phone())
        stage.model.login(tablet.channel, as: .ana)
        let message = stage.send(to: .everyone)
        stage.mark(message, as: .delete, by: phone.user)
        stage.model.login(phone.channel, as: .ana)
        #expect(stage.ids(phone.user) == [])
        #expect(stage.ids(tablet.user) == [message])
        stage.mark(message, as: .read, by: phone.user)
        #expect(
            stage.unread(tablet.user) == [message], "a mark of what is gone from the view changes nothing")
    }

    @Test func `of the marks of device and person the later counts`() {
        var stage = Stage()
        let (phone, tablet) = (stage.phone(), stage.phone())
        stage.model.login(tablet.channel, as: .ana)
        let message = stage.send(to: .everyone)
        stage.mark(message, as: .read, by: phone.user)
        stage.mark(message, as: .unread, by: tablet.user)
        #expect(stage.unread(phone.user) == [])
        stage.model.login(phone.channel, as: .ana)
        #expect(stage.unread(phone.user) == [message])
        stage.mark(message, as: .read, by: phone.user)
        #expect(stage.unread(tablet.user) == [])
        stage.model.logout(phone.channel)
        #expect(stage.unread(phone.user) == [])
    }

    @Test func `a mark that changes nothing is none`() {
        var stage = Stage()
        let phone = stage.phone()
        let message = stage.send(to: .everyone)
        stage.mark(message, as: .read, by: phone.user)
        let before = stage.model
        stage.model.mark([message], as: .read, by: phone.user)
        #expect(stage.model == before)
    }

    @Test func `a recall takes a message from every view, once`() {
        var stage = Stage { $0.mostTombstones = 1 }
        let (phone, other) = (stage.phone(), stage.phone())
        let narrow = stage.send(to: phone.audience)
        let wide = stage.send(to: .channels([phone.channel, other.channel], type: nil))
        let broadcast = stage.send(to: .everyone)
        for message in [narrow, wide, broadcast] {
            let answers = [stage.model.recall(message), stage.model.recall(message)]
            #expect(answers == [true, false])
            #expect(!stage.model.holds(bodyOf: message, for: phone.user))
        }
        let short = stage.send(to: phone.audience, seconds: 1)
        stage.wait(milliseconds: 1000)
        for message in [short, MessageID(high: 99, low: 0)] {
            let isTaken = stage.model.recall(message)
            #expect(!isTaken)
        }
    }

    @Test func `the newest deliveries stay, expired ones count, and what fell out never returns`() {
        var stage = Stage { $0.cap = 2 }
        let phone = stage.phone()
        let first = stage.send(to: phone.audience)
        let short = stage.send(to: phone.audience, seconds: 1)
        #expect(stage.ids(phone.user) == [short, first], "at the cap nothing falls out")
        let third = stage.send(to: phone.audience)
        #expect(stage.ids(phone.user) == [third])
        stage.mark(third, as: .delete, by: phone.user)
        #expect(stage.ids(phone.user) == [])
        stage.model.settings.cap = 10
        #expect(stage.ids(phone.user) == [])
    }

    @Test func `a delivery behind the floor is gone at once`() {
        var stage = Stage { $0.cap = 1 }
        let phone = stage.phone()
        let same = (0..<3).map { _ in stage.send(to: phone.audience, after: 0) }
        let newest = same.sorted { $0.text < $1.text }[0]
        #expect(stage.ids(phone.user) == [newest])
    }

    @Test func `what a recall buried does not count for the cap, and what it hid by a row of the log does`() {
        for mostTombstones in [0, 1] {
            var stage = Stage {
                $0.cap = 2
                $0.mostTombstones = mostTombstones
            }
            let phone = stage.phone()
            let first = stage.send(to: phone.audience)
            let second = stage.send(to: phone.audience)
            _ = stage.model.recall(second)
            let third = stage.send(to: phone.audience)
            #expect(stage.ids(phone.user) == (mostTombstones == 1 ? [third, first] : [third]))
        }
    }

    @Test func `broadcasts have the app's cap and floor, which a larger cap does not lower`() {
        var stage = Stage { $0.cap = 1 }
        let phone = stage.phone()
        let own = stage.send(to: phone.audience)
        var sent = (0..<3).map { _ in stage.send(to: .everyone) }
        #expect(stage.ids(phone.user) == [sent[2], own])
        stage.model.settings.cap = 3
        sent.append(stage.send(to: .everyone))
        #expect(stage.ids(phone.user) == [sent[3], sent[2], own])
        _ = stage.model.recall(sent[3])
        #expect(stage.ids(phone.user) == [sent[2], own])
    }

    @Test func `a moved inbox keeps marks and baseline, and what fell out of it`() {
        var stage = Stage { $0.cap = 1 }
        let old = stage.phone()
        let broadcast = stage.send(to: .everyone)
        let new = stage.phone()
        let kept = stage.send(to: .channels([old.channel, new.channel], type: nil))
        stage.mark(kept, broadcast, as: .read, by: old.user)
        stage.model.attach(new.channel, to: old.user)
        #expect(stage.ids(old.user) == [kept, broadcast])
        #expect(stage.unread(old.user) == [])
        #expect(stage.ids(new.user) == [], "who had the channel before has an empty inbox of its own")
        let later = stage.send(to: new.audience)
        stage.mark(later, as: .delete, by: old.user)
        stage.model.attach(old.channel, to: old.user)
        #expect(stage.ids(old.user) == [broadcast])
    }

    @Test func `who attaches what it has changes nothing`() {
        var stage = Stage()
        let phone = stage.phone()
        let before = stage.model
        stage.model.attach(phone.channel, to: phone.user)
        stage.model.attach(Stage.channel(99), to: phone.user)
        #expect(stage.model == before)
    }

    @Test func `a bare word logs in where it is trusted, and else only logs another person out`() {
        var stage = Stage(trustsDevices: false)
        let phone = stage.phone()
        var answers = [stage.model.claim(phone.channel, as: .ana)]
        stage.model.login(phone.channel, as: .ana)
        answers.append(stage.model.claim(phone.channel, as: .ana))
        #expect(stage.model.ownership(of: phone.user)?.person == .ana)
        answers.append(stage.model.claim(phone.channel, as: .ben))
        #expect(stage.model.ownership(of: phone.user)?.person == nil)
        stage.model.settings.trustsDevices = true
        answers.append(stage.model.claim(phone.channel, as: .ben))
        #expect(answers == [false, true, false, true])
    }

    @Test func `an erased person leaves nothing, and one of that name is another`() {
        var stage = Stage()
        let phone = stage.phone()
        stage.model.login(phone.channel, as: .ana)
        stage.model.openSession(Stage.user(90), for: .ana, until: Instant(seconds: 1_900_000_000))
        stage.send(to: .namedUsers([.ana]))
        let answers = [stage.model.erase(.ana), stage.model.erase(.ana)]
        #expect(answers == [true, false])
        #expect(stage.ids(Stage.user(90)) == nil)
        #expect(stage.ids(phone.user) == [])
        stage.model.login(phone.channel, as: .ana)
        #expect(stage.ids(phone.user) == [])
    }

    @Test func `a wrong count and a wrong name in a send's answer are found`() {
        var stage = Stage()
        let phone = stage.phone()
        let answer = ReferenceInbox.Answer(
            message: MessageID(high: 1, low: 1), sent: stage.model.now,
            expires: Instant(seconds: 1_900_000_000),
            recipients: 2, unknown: ["named_user:ana"])
        let wrong = stage.model.send(to: phone.audience, on: .all, extra: [:], answered: answer)
        #expect(wrong.count == 2)
    }
}
