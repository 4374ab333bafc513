/// What became of an inbox whose file was damaged, or of a newer version: a new one has taken its place.
///
/// Messages come from the server again. The old file lies beside the new one, as `NAME.damaged`.
public struct InboxRecovery: Hashable, Sendable {
    /// What was wrong, for developers.
    public let reason: String
    /// Whether the device is the same to the server; otherwise it registers anew, and messages to it alone are lost.
    public let hasInstallation: Bool
    /// Marks that were saved and will be told; how many were not, nobody knows.
    public let marks: Int

    init(_ recovery: StoreRecovery) {
        reason = recovery.reason
        hasInstallation = recovery.hasInstallation
        marks = recovery.marks
    }
}
