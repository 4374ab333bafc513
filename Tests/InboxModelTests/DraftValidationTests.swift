import InboxModel
import Platform
import Testing

struct DraftValidationTests {
    private let now = Instant(seconds: 1_700_000_000)

    @Test func `a plain draft is good`() {
        #expect(throws: Never.self) { try validate(Draft(title: "T", body: [])) }
    }

    @Test func `an expiry must lie behind now`() {
        func draft(_ seconds: Int64) -> Draft {
            Draft(title: "T", body: [], expiry: .at(Instant(seconds: now.seconds + seconds)))
        }
        #expect(throws: Never.self) { try validate(draft(1)) }
        #expect(throws: InboxError.invalid(field: "m.expiry", reason: "lies in the past")) {
            try validate(draft(0))
        }
    }

    @Test func `limits are those of the installation`() {
        var limits = Limits()
        limits.titleBytes = 3
        limits.extraKeys = 0
        let long = InboxError.invalid(
            field: "m.title", reason: "is longer than 3 bytes", limit: Limit("title_bytes", 3))
        #expect(throws: long) { try validate(Draft(title: "éé", body: []), limits) }
        #expect(throws: Never.self) { try validate(Draft(title: "éx", body: []), limits) }
        #expect(throws: InboxError.self) {
            try validate(Draft(title: "x", body: [], extra: ["a": ""]), limits)
        }
    }

    @Test func `a change of tags changes something, and sets alone`() {
        var change = TagChange()
        #expect(throws: InboxError.self) { try change.validate() }
        change.set = ["g": []]
        #expect(throws: Never.self) { try change.validate() }
        change.add = ["h": ["a"]]
        #expect(throws: InboxError.self) { try change.validate() }
        change.set = [:]
        change.remove = ["h": ["b"], "g": ["a"]]
        #expect(throws: Never.self) { try change.validate() }
        change.remove = ["h": ["b", "a"]]
        #expect(throws: InboxError.self) { try change.validate() }
    }

    private func validate(_ draft: Draft, _ limits: Limits = Limits()) throws {
        try draft.validate(against: limits, at: now, path: "m")
    }
}
