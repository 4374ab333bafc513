import ClientCore
import Foundation
import InboxClient
import InboxModel
import Platform

/// A device that is driven through a day, and dies at the n-th point of it.
///
/// An app and an extension of it have its file open, and take turns.
struct Probe {
    private let points: Points
    private var turns: [KeptCore]
    private var server: ProbeServer
    private var isOnline = true
    private var time = SyncTime(wall: Instant(seconds: 1_800_000_000), uptime: .zero)

    /// Counts points, and ends the process at one of them.
    final class Points: Sendable {
        private let counts: Lock<(left: Int, statements: Int)>
        /// Statements of one save that are points: a save that follows many deaths has many that are alike.
        private static let mostStatements = 5

        init(_ number: Int) { counts = Lock((number, 0)) }

        func reach(_ point: StorePoint? = nil) {
            let isLast = counts.withLock { counts in
                counts.statements = point == .statement ? counts.statements + 1 : 0
                guard counts.statements <= Points.mostStatements else { return false }
                counts.left -= 1
                return counts.left == 0
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
    }

    init(path: String, server: ProbeServer, dyingAt number: Int) throws {
        let points = Points(number)
        var options = SQLiteStoreOptions()
        options.reached = { points.reach($0) }
        self.points = points
        self.server = server
        turns = try (0..<2).map { _ in
            try KeptCore(SQLiteStore(path: path, options: options), seed: 1)
        }
    }

    /// The one whose turn it is.
    private var core: SyncCore { turns[0].core }

    /// The day: messages from `first` on, for the device and for ana, marked on line and off line, under three logins.
    mutating func live(from first: Int) throws {
        // Those of two days ago are gone, so that no day is longer than another.
        server.happen("drop \(first - 20)")
        for number in [first, first + 1, first + 3] { server.happen("send \(number)") }
        server.happen("send \(first + 2) ana")
        try goOnline()
        try mark(.read, first)
        try mark(.delete, first + 1)
        isOnline = false
        try mark(.unread, first)
        try handle(.logIn(Login(NamedUserID(stored: "ana"), proof: "p")))
        try mark(.read, first + 3)
        try goOnline()
        try mark(.read, first + 2)
        isOnline = false
        try mark(.delete, first + 2)
        try handle(.logIn(Login(nil)))
        try mark(.delete, first + 3)
        try goOnline()
        let isSettled = core.isSettled
        try handle(.refresh(RefreshID(2)))
        say(isSettled && core.isSettled ? "settled" : "unsettled")
    }

    private mutating func goOnline() throws {
        isOnline = true
        try handle(.reachable)
        try handle(.refresh(RefreshID(1)))
    }

    private mutating func mark(_ mark: MessageMark, _ number: Int) throws {
        let id = ProbeServer.id(number)
        // Sees what the other has saved, as a user does.
        carryOut(turns[0].catchUp(at: time))
        guard core.shown(at: time.wall).row(of: id) != nil else { return }
        say("try \(mark.rawValue) \(number)")
        try handle(.mark(mark, [id]), acknowledging: "ok \(mark.rawValue) \(number)")
    }

    /// Lets one of both take an event, and then answers its calls for as long as there are any; then it is the other's turn.
    private mutating func handle(_ event: SyncEvent, acknowledging words: String? = nil) throws {
        carryOut(turns[0].handle(event, at: time))
        if let words { say(words) }
        while let call = core.call {
            time.uptime += .seconds(1)
            guard isOnline else {
                take(.failed(SyncProblem(.unreachable, "")))
                continue
            }
            points.reach()
            let outcome = server.answer(call)
            points.reach()
            take(outcome)
        }
        turns.reverse()
    }

    private mutating func take(_ outcome: SyncOutcome) {
        carryOut(turns[0].handle(.answered(outcome, serverTime: nil), at: time))
    }

    private mutating func carryOut(_ outcome: KeptCore.Outcome) {
        if let failure = outcome.failure { say("failed \(failure)") }
        for effect in outcome.effects {
            switch effect {
            case .makeInstallation:
                let installation = Installation(
                    channel: ChannelID(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
                    secret: "0123456789abcdefghijkl")
                carryOut(turns[0].handle(.installation(installation), at: time))
            case .save, .call, .openStream, .closeStream, .wake, .show, .tell: break
            }
        }
    }

    private func say(_ words: String) { FileHandle.standardOutput.write(Data((words + "\n").utf8)) }
}
