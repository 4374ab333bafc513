/// One thing that is done to the servers, their database, a clock or the network between them and the devices.
package enum FaultDeed: Hashable, Sendable {
    /// From now on the network does this.
    case setRates(FaultRates)
    /// A server's process ends at once, without a word.
    case killServer(Int)
    /// A server is told to end, and ends well.
    case stopServer(Int)
    /// A server that was killed or stopped is started again, at its old address.
    case startServer(Int)
    /// A server stands still, while its connections stay.
    case pauseServer(Int)
    /// A server that stood still goes on.
    case resumeServer(Int)
    /// All of PostgreSQL ends at once, without a word.
    case killDatabase
    /// PostgreSQL is started again, and recovers.
    case startDatabase
    /// The database's clock is set forward; it is never set back.
    case stepDatabaseClock(Duration)
    /// The devices' clocks are set forward, or back.
    case stepClientClock(Duration)
    /// A dump of the database is taken and kept.
    case takeDump
    /// The dump that was taken replaces the database, and all that came after it is gone.
    case restoreDump(Restore)

    /// How a dump is restored.
    package enum Restore: Hashable, Sendable {
        /// Tables and data: the database is another one, which servers see.
        case whole
        /// The data into the tables that are there, and then a new epoch, which an operator has to begin.
        case dataAlone
    }

    /// Whether nothing may be under way while it is done, since what is answered meanwhile may or may not survive.
    package var needsQuiet: Bool {
        switch self {
        case .takeDump, .restoreDump: true
        case .setRates, .killServer, .stopServer, .startServer, .pauseServer, .resumeServer, .killDatabase,
            .startDatabase, .stepDatabaseClock, .stepClientClock:
            false
        }
    }
}

extension FaultDeed: CustomStringConvertible {
    package var description: String {
        switch self {
        case .setRates(let rates): "the network does: \(rates)"
        case .killServer(let server): "server \(server) is killed"
        case .stopServer(let server): "server \(server) is stopped"
        case .startServer(let server): "server \(server) is started again"
        case .pauseServer(let server): "server \(server) stands still"
        case .resumeServer(let server): "server \(server) goes on"
        case .killDatabase: "PostgreSQL is killed"
        case .startDatabase: "PostgreSQL is started again"
        case .stepDatabaseClock(let step): "the database's clock is set \(FaultDeed.words(for: step))"
        case .stepClientClock(let step): "the devices' clocks are set \(FaultDeed.words(for: step))"
        case .takeDump: "a dump is taken"
        case .restoreDump(.whole): "the dump is restored"
        case .restoreDump(.dataAlone): "the dump's data alone are restored, and a new epoch begins"
        }
    }

    private static func words(for step: Duration) -> String {
        step < .zero ? "back by \(seconds(.zero - step))" : "forward by \(seconds(step))"
    }
}

/// A deed at its time.
package struct FaultEvent: Hashable, Sendable {
    /// Since the scenario began.
    package let at: Duration
    package let deed: FaultDeed

    package init(at: Duration, _ deed: FaultDeed) {
        self.at = at
        self.deed = deed
    }
}

extension FaultEvent: CustomStringConvertible {
    package var description: String { "after \(seconds(at)) \(deed)" }
}
