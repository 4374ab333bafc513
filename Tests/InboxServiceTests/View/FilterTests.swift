import InboxModel
import InboxService
import Platform
import Testing

@Suite struct FilterTests {
    private func world(untargeted: Bool = false, person: String? = "ana") -> ViewWorld {
        var world = ViewWorld()
        world.reader.filter = .namedUser(showsUntargeted: untargeted)
        world.person = person.map { NamedUserID(stored: $0) }
        for (letter, target) in [("a", "ana"), ("b", "ben"), ("c", nil), ("d", "Ana")]
            as [(Character, String?)]
        {
            world.deliver(letter)
            world.facts[id(letter)]?.target = target.map { NameDigest($0) }
        }
        return world
    }

    @Test func `rule 14: a device shows what names the person who is logged in`() {
        #expect(world().text == "A")
        #expect(world(person: "ben").text == "B")
    }

    @Test func `rule 14: nobody is logged in, nothing is shown`() {
        #expect(world(person: nil).text == "")
        #expect(world(untargeted: true, person: nil).text == "")
    }

    @Test func `rule 14: with untargeted ones, what names nobody is shown too`() {
        #expect(world(untargeted: true).text == "AC")
    }

    @Test func `rule 14: what is in the person's own inbox passes`() {
        var world = world()
        world.ofPerson = 2
        #expect(world.text == "ACD")
        #expect(world.view.rows.map(\.origin) == [.device, .person, .person])
    }

    @Test func `rule 14: a session's own inbox is the person's`() {
        var world = world()
        world.reader.isSession = true
        #expect(world.text == "ABCD")
        #expect(Set(world.view.rows.map(\.origin)) == [.person])
    }

    @Test func `rule 14: broadcasts are filtered, and count only if they are shown`() {
        var world = world()
        world.log(broadcast("x", at: 1), broadcast("y", at: 2))
        world.facts[id("x")]?.target = NameDigest("ana")
        #expect(world.text == "AX")
        #expect(world.view.unreadCount == 2)
        #expect(world.view.rows.map(\.origin) == [.device, .app])
    }

    @Test func `rule 14: a body is shown exactly if the list shows the message`() {
        let world = world()
        for letter in "abcd" {
            let holding = Holding(
                reader: world.reader, delivered: (device: true, person: false), isDeletedBroadcast: false,
                isLive: true, person: world.person)
            let isListed = world.view.rows.contains { $0.message == id(letter) }
            #expect(holding.isInView(id(letter), facts: world.facts[id(letter)], log: world.log) == isListed)
        }
    }
}
