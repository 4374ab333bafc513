import InboxModel
import InboxService
import Platform
import Testing

@Suite struct ViewValidatorTests {
    @Test func `a validator has 64 bytes and differs when anything that it stands for does`() {
        let state = ViewWorld.reader().state
        var variants: [ViewState] = [state]
        func vary(_ change: (inout ViewState) -> Void) {
            var variant = state
            change(&variant)
            variants.append(variant)
        }
        vary { $0.device = InboxID(rawValue: 2) }
        vary { $0.deviceRevision = Revision(rawValue: 2) }
        vary { $0.person = InboxID(rawValue: 2) }
        vary { $0.personRevision = Revision(rawValue: 2) }
        vary { $0.appRevision = Revision(rawValue: 2) }
        vary { $0.settingsRevision = Revision(rawValue: 2) }
        let validators =
            variants.map { $0.validator(epoch: 1, rendering: 1) } + [
                state.validator(epoch: 2, rendering: 1), state.validator(epoch: 1, rendering: 2),
            ]
        #expect(validators.allSatisfy { $0.count == 64 })
        #expect(Set(validators).count == validators.count)
        #expect(state.validator(epoch: 1, rendering: 1) == validators[0])
    }
}
