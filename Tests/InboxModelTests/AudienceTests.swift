import Foundation
import InboxModel
import Testing

struct AudienceTests {
    private let ana = Audience.namedUsers([NamedUserID(stored: "ana")])
    private let ben = Audience.namedUsers([NamedUserID(stored: "ben")])
    private let gold = Audience.tags(["gold"], group: "plan")
    private let vip = Audience.tags(["vip"], group: Audience.deviceTagGroup)

    @Test func `rule 7: names and tags of people, joined by or and and, are of people`() {
        for audience in [
            ana, gold, .any([ana, gold]), .any([ana, .any([ben, gold])]), .all([ana, ben]),
            .all([ana, gold]),
            .any([.all([ana, gold]), ben]),
        ] {
            #expect(audience.isOfPeople, "\(audience)")
        }
    }

    @Test func `rule 7: of these an and may leave some out`() {
        #expect(Audience.all([gold, .not(ana)]).isOfPeople)
        #expect(Audience.all([.not(.any([ana, .all([gold, .not(ben)])])), gold]).isOfPeople)
        for audience in [
            Audience.not(ana), .not(.not(ana)), .all([.not(ana), .not(gold)]), .any([ana, .not(gold)]),
            .all([gold, .not(.not(ana))]), .all([gold, .not(vip)]),
        ] {
            #expect(!audience.isOfPeople, "\(audience)")
        }
    }

    @Test func `rule 7: anything beside them makes it an audience of devices`() {
        let channel = Audience.channels([ChannelID(UUID())], type: nil)
        for other in [Audience.everyone, vip, channel] {
            for audience in [
                other, .any([ana, other]), .all([ana, other]), .all([.any([other, gold]), ana]),
            ] {
                #expect(!audience.isOfPeople, "\(audience)")
            }
        }
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
