import InboxModel
import Testing

struct AudienceTests {
    private let ana = NamedUserID(stored: "ana")
    private let ben = NamedUserID(stored: "ben")

    @Test func `people joined by or are people`() {
        #expect(Audience.namedUsers([ana]).people == [ana])
        #expect(Audience.any([.namedUsers([ana]), .any([.namedUsers([ben])])]).people == [ana, ben])
    }

    @Test func `anything beside them makes it an audience of devices`() {
        let tag = Audience.tags(["vip"], group: Audience.deviceTagGroup)
        #expect(Audience.any([.namedUsers([ana]), tag]).people == nil)
        #expect(Audience.all([.namedUsers([ana]), .namedUsers([ben])]).people == nil)
        #expect(Audience.not(.namedUsers([ana])).people == nil)
        #expect(Audience.everyone.people == nil)
    }

    @Test func `device types are words and bits`() {
        for type in DeviceType.allCases {
            #expect(DeviceType(text: type.text) == type)
            #expect(DeviceTypes.all.contains(DeviceTypes(type)))
        }
        #expect(DeviceType(text: "iOS") == nil)
        #expect(Set(DeviceType.allCases.map(\.rawValue)) == [1, 2, 4, 8, 16])
    }
}
