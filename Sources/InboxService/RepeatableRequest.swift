package import InboxModel

/// A request that its caller may repeat: under one key, one answer for 24 hours.
package struct RepeatableRequest: Sendable {
    package var key: IdempotencyKey
    /// SHA-256 of what was asked, by which another request under the key is told apart.
    package var digest: [UInt8]

    package init(key: IdempotencyKey, digest: [UInt8]) {
        self.key = key
        self.digest = digest
    }
}

/// What the first request under a key was answered with.
package struct FirstAnswer: Sendable {
    /// What the caller of the store gave it to keep: of this and `outcomes` the answer is made again.
    package var memo: String
    /// What became of the sends of the request, in their order; none if it was no send.
    package var outcomes: [SendOutcome]

    package init(memo: String, outcomes: [SendOutcome]) {
        self.memo = memo
        self.outcomes = outcomes
    }
}

/// What holds for a whole request to send, besides what is sent.
package struct SendTerms: Sendable {
    /// Who asks, for the audit: `master`, `token:7`, `server`.
    package var actor: String
    /// Nothing if it came without a key: then it is done however often it comes.
    package var request: RepeatableRequest?
    /// Kept with the key, for `FirstAnswer`.
    package var memo: String

    package init(actor: String, request: RepeatableRequest? = nil, memo: String = "") {
        self.actor = actor
        self.request = request
        self.memo = memo
    }
}

/// What a request to send led to.
package enum SendResult: Sendable {
    /// Outcomes in the order of the sends.
    case sent([SendOutcome])
    /// Nothing was sent: it was before, under the same key.
    case repeated(FirstAnswer)
}
