package import InboxModel

/// A device's request to be logged in as a person.
package struct LogInRequest: Sendable {
    package var person: NamedUserID
    package var claim: IdentityClaim

    package init(_ body: [UInt8], limits: Limits) throws(InboxError) {
        let root = try JSONField(body: body)
        try root.allowOnly(["named_user_id", "proof"])
        let name = try root.required("named_user_id")
        person = try NamedUserID(try name.string(), field: name.path)
        claim = try IdentityClaim(beside: root, limits: limits)
    }
}

/// A backend's request to open a session for a person.
package struct SessionRequest: Sendable {
    /// From a minute to a day.
    package static let lives: ClosedRange<Int64> = 60...86_400
    /// An hour.
    package static let usualLife: Int64 = 3600

    package var person: NamedUserID
    package var lifeSeconds: Int64

    package init(_ body: [UInt8]) throws(InboxError) {
        let root = try JSONField(body: body)
        try root.allowOnly(["named_user_id", "expires_in"])
        let name = try root.required("named_user_id")
        person = try NamedUserID(try name.string(), field: name.path)
        let lives = SessionRequest.lives
        guard let life = root.member(unlessNull: "expires_in") else {
            lifeSeconds = SessionRequest.usualLife
            return
        }
        lifeSeconds = try life.integer()
        guard lives.contains(lifeSeconds) else {
            let bound = lifeSeconds < lives.lowerBound ? lives.lowerBound : lives.upperBound
            throw life.invalid(
                "must be from \(lives.lowerBound) to \(lives.upperBound) seconds",
                limit: Limit("session_seconds", Int(bound)))
        }
    }
}
