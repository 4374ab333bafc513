import SimulatorKit
import Testing

/// A way in which the scripted server is wrong, and what the simulator must call it.
enum Fault: String, CaseIterable, CustomTestStringConvertible {
    case losesDeliveries
    case losesBroadcasts
    case deliversToOthers
    case deletesNot
    case forgetsReads
    case readsForOthers
    case neverShowsChanges
    case showsExpired
    case showsRecalled
    case sendsTwice
    case writesUnreadAsNumber
    case ordersOldestFirst
    case changesTitles
    case keepsLastModified
    case forgetsWhenRestarted
    case servesOtherBodies
    case refusesNowAndThen
    case keepsPersonAfterLogout

    var testDescription: String { rawValue }

    /// One of these must be among what the simulator finds.
    var found: Set<Difference.Kind> {
        switch self {
        case .losesDeliveries, .losesBroadcasts, .forgetsWhenRestarted: [.missing]
        case .deliversToOthers, .keepsPersonAfterLogout: [.foreign]
        case .deletesNot: [.resurrected]
        case .forgetsReads: [.unreadAgain]
        case .readsForOthers: [.readByNobody]
        case .neverShowsChanges: [.missing, .unreadAgain, .resurrected]
        case .showsExpired: [.expired]
        case .showsRecalled: [.recalled]
        case .sendsTwice: [.sentTwice]
        case .writesUnreadAsNumber: [.form]
        case .ordersOldestFirst: [.order]
        case .changesTitles: [.content]
        case .keepsLastModified: [.validator]
        case .servesOtherBodies: [.body]
        case .refusesNowAndThen: [.refusal]
        }
    }
}
