package import InboxModel

extension IdentityClaim {
    /// Reads the `proof` that may stand beside a `named_user_id`; null is none.
    ///
    /// A text that is no proof is a claim too, which whoever decides refuses: what follows from that is not the reader's.
    package init(beside field: JSONField, limits: Limits) throws(InboxError) {
        guard let text = try field.member(unlessNull: "proof")?.string() else {
            self = .bare
            return
        }
        do {
            self = .signed(try IdentityProof(compact: text, limits: limits))
        } catch {
            self = .unreadable(error)
        }
    }
}
