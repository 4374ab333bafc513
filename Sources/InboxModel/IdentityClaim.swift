/// What a device shows for its word on who is logged in.
package enum IdentityClaim: Sendable {
    /// Nothing.
    case bare
    /// A token of the app's backend, of which nothing is checked yet.
    case signed(IdentityProof)
    /// Something that is no such token.
    case unreadable(ProofRefusal)
}
