import SimulatorKit

extension ServerGround {
    /// Does what a plan says, and returns when it is done: a server that is started listens.
    ///
    /// Rates and the devices' clocks are not here: these deeds do nothing.
    func apply(_ deed: FaultDeed) async throws {
        switch deed {
        case .killServer(let number): try await instances[number].kill()
        case .stopServer(let number): try await instances[number].stop()
        case .startServer(let number): try await instances[number].start()
        case .pauseServer(let number): instances[number].pause()
        case .resumeServer(let number): instances[number].resume()
        case .killDatabase: try await database.kill()
        case .startDatabase: try await database.start()
        case .stepDatabaseClock(let step): try await database.stepClock(by: step)
        case .takeDump: try await database.takeDump()
        case .restoreDump(let restore): try await restoreDump(restore)
        case .setRates, .stepClientClock: break
        }
    }

    /// As the operations guide tells it, with all servers away meanwhile.
    private func restoreDump(_ restore: FaultDeed.Restore) async throws {
        let running = instances.filter(\.isRunning)
        for instance in running { try await instance.stop() }
        switch restore {
        case .whole: try await database.restoreWhole()
        case .dataAlone:
            try await database.restoreData()
            // Tables that went on existing look like the database that the dump was made from.
            try await beginEpoch()
        }
        for instance in running { try await instance.start() }
    }
}
