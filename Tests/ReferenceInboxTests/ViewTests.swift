import InboxModel
import Platform
import ReferenceInbox
import Testing

/// What a view is: rules 7, 8, 11 and 14, and list order.
@Suite struct ViewTests {
    @Test func `newest first, and of one millisecond by the id's text`() {
        var stage = Stage()
        let phone = stage.phone()
        let first = stage.send(to: phone.audience)
        let second = stage.send(to: phone.audience, after: 0)
        let third = stage.send(to: phone.audience, after: 1)
        #expect(stage.ids(phone.user) == [third] + [first, second].sorted { $0.text < $1.text })
    }

    @Test func `in mode person a send to people is held once and follows the person`() {
        var stage = Stage()
        let (phone, tablet) = (stage.phone(), stage.phone())
        stage.model.login(phone.channel, as: .ana)
        #expect(
            stage.model.reach(.namedUsers([.ana, .ben]), on: .all)
                == (recipients: 1, unknown: ["named_user:ben"]))
        let message = stage.send(to: .namedUsers([.ana]))
        #expect(stage.model.view(of: phone.user)?.map(\.place) == [.person])
        #expect(stage.ids(tablet.user) == [])
        stage.mark(message, as: .read, by: phone.user)
        stage.model.login(tablet.channel, as: .ana)
        #expect(stage.ids(tablet.user) == [message])
        #expect(stage.unread(tablet.user) == [])
        stage.model.logout(phone.channel)
        #expect(stage.ids(phone.user) == [])
    }

    @Test func `in mode devices a send to people stays on the devices they were on`() {
        var stage = Stage(.withDevices)
        let phone = stage.phone()
        stage.model.login(phone.channel, as: .ana)
        let message = stage.send(to: .namedUsers([.ana]))
        stage.model.login(phone.channel, as: .ben)
        #expect(stage.ids(phone.user) == [message])
        #expect(stage.model.reach(.namedUsers([.ana]), on: .all).recipients == 0)
    }

    @Test func `what is not only for people goes to devices in every mode`() {
        var stage = Stage()
        let (phone, tablet) = (stage.phone(), stage.phone(tags: ["red"]))
        for phone in [phone, tablet] { stage.model.login(phone.channel, as: .ana) }
        let message = stage.send(to: .all([.namedUsers([.ana]), .tags(["red"], group: "device")]))
        #expect(stage.ids(phone.user) == [])
        #expect(stage.ids(tablet.user) == [message])
        let both = stage.send(to: .any([.namedUsers([.ana]), .any([.namedUsers([.ben])])]))
        #expect(stage.ids(phone.user) == [both])
    }

    @Test func `selectors join as sets, and a person's tags count on the device`() {
        var stage = Stage()
        let phone = stage.phone(.android, tags: ["red"])
        stage.model.login(phone.channel, as: .ana)
        stage.model.setTags(["gold"], in: "crew", of: .ana)
        func recipients(_ audience: Audience, _ types: DeviceTypes = .all) -> Int {
            stage.model.reach(audience, on: types).recipients
        }
        #expect(recipients(.tags(["gold", "blue"], group: "crew")) == 1)
        #expect(recipients(.tags(["gold"], group: "device")) == 0)
        #expect(recipients(.not(.tags(["red"], group: "device"))) == 0)
        #expect(recipients(.all([.not(.tags(["blue"], group: "device")), phone.audience])) == 1)
        #expect(recipients(.channels([phone.channel], type: .ios)) == 0)
        #expect(recipients(.everyone, [DeviceTypes(.android), DeviceTypes(.web)]) == 1)
        #expect(recipients(.everyone, DeviceTypes(.ios)) == 0)
        stage.model.uninstall(phone.channel)
        #expect(recipients(phone.audience) == 0)
        #expect(stage.model.reach(phone.audience, on: .all).unknown == [])
        #expect(stage.ids(phone.user) == nil)
    }

    @Test func `a broadcast shows above the smaller baseline of device and person`() {
        var stage = Stage()
        let phone = stage.phone()
        stage.model.login(phone.channel, as: .ana)
        let message = stage.send(to: .everyone)
        let late = stage.phone()
        #expect(stage.ids(late.user) == [])
        stage.model.login(late.channel, as: .ana)
        #expect(stage.model.view(of: late.user)?.map(\.place) == [.app])
        stage.model.login(late.channel, as: .ben)
        #expect(stage.ids(late.user) == [])
        #expect(stage.ids(phone.user) == [message])
    }

    @Test(arguments: [(59_999, true), (60_000, false)])
    func `from its expiry on a message is nowhere`(milliseconds: Int64, isShown: Bool) {
        var stage = Stage()
        let phone = stage.phone()
        let message = stage.send(to: phone.audience, seconds: 60)
        stage.wait(milliseconds: milliseconds)
        #expect(stage.model.holds(bodyOf: message, for: phone.user) == isShown)
        #expect(stage.model.unreadCount(of: phone.user) == (isShown ? 1 : 0))
    }

    @Test func `only devices of the message's types show it, and sessions always`() {
        var stage = Stage()
        let phone = stage.phone(.android)
        stage.model.login(phone.channel, as: .ana)
        let message = stage.send(to: .namedUsers([.ana]), on: DeviceTypes(.ios))
        stage.model.openSession(Stage.user(90), for: .ana, until: Instant(seconds: 1_900_000_000))
        #expect(stage.ids(phone.user) == [])
        #expect(stage.ids(Stage.user(90)) == [message])
    }

    @Test func `a session sees the person's inbox until it ends`() {
        var stage = Stage()
        let session = Stage.user(90)
        stage.model.openSession(
            session, for: .ana, until: Instant(rawValue: stage.model.now.rawValue + 5_000_000))
        let own = stage.send(to: .namedUsers([.ana]))
        let broadcast = stage.send(to: .everyone)
        #expect(stage.ids(session) == [broadcast, own])
        stage.wait(milliseconds: 2999)
        #expect(stage.ids(session) != nil)
        stage.wait(milliseconds: 1)
        #expect(stage.ids(session) == nil)
        #expect(stage.ids(Stage.user(91)) == nil)
    }

    @Test(
        arguments: [
            // logged in, named, also untargeted, shown
            (nil, "ana", true, false), (nil, nil, true, false), ("ana", "ana", false, true),
            ("ana", "ben", true, false), ("ana", nil, false, false), ("ana", nil, true, true),
            ("ana", "Ana", true, false), ("cafe\u{301}", "caf\u{e9}", false, true),
        ] as [(String?, String?, Bool, Bool)])
    func `the filter shows who is named to who is logged in`(
        person: String?, named: String?, untargeted: Bool, isShown: Bool
    ) {
        var stage = Stage {
            $0.filters = true
            $0.showsUntargeted = untargeted
        }
        let phone = stage.phone()
        if let person { stage.model.login(phone.channel, as: NamedUserID(stored: person)) }
        let extra = named.map { ["named_user_id": $0] } ?? [:]
        let message = stage.send(to: phone.audience, extra: extra)
        let broadcast = stage.send(to: .everyone, extra: extra)
        #expect(stage.ids(phone.user) == (isShown ? [broadcast, message] : []))
        stage.model.settings.filters = false
        #expect(stage.ids(phone.user) == [broadcast, message])
    }

    @Test func `a delivery in the person's own inbox passes the filter`() {
        var stage = Stage { $0.filters = true }
        let phone = stage.phone()
        stage.model.login(phone.channel, as: .ana)
        let message = stage.send(to: .namedUsers([.ana]), extra: ["named_user_id": "ben"])
        #expect(stage.ids(phone.user) == [message])
    }
}
