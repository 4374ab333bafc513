import InboxModel
import Platform
import Testing

struct ExpiryTests {
    @Test(
        arguments: [
            (.longest, false), (.never, true), (.after(seconds: 100), false), (.after(seconds: 101), true),
            (.after(seconds: .max), true), (.at(Instant(seconds: 1100)), false),
            (.at(Instant(milliseconds: 1_100_001)), true),
        ] as [(Expiry, Bool)])
    func `a life is clamped if a longer one was asked for`(expiry: Expiry, isClamped: Bool) {
        #expect(
            expiry.isClamped(sent: Instant(seconds: 1000), expires: Instant(seconds: 1100)) == isClamped)
    }
}
