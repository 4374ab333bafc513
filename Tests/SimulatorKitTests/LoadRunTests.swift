import HTTPCore
import Platform
import SimulatorKit
import Testing

struct LoadRunTests {
    /// A run of 24 devices over 20 virtual seconds.
    private func run(
        _ delivery: Delivery, fault: Fault? = nil, outages: [Range<Duration>] = [],
        refusesClaims: Bool = false, seed: UInt64 = 11
    ) throws -> LoadReport {
        let loop = VirtualLoop()
        var server = ScriptedServer(loop: loop, delivery: delivery)
        (server.fault, server.outages, server.refusesClaims) = (fault, outages, refusesClaims)
        var options = LoadOptions(devices: 24, duration: .seconds(20), seed: seed, run: "test")
        options.people = 8
        options.refresh = .seconds(1)
        options.sendRate = 8
        if fault != nil { options.delivery = delivery }  // the probe is not to meet the fault
        let access = AppAccess(appKey: "key", backendAuthorization: "Basic a2V5OnNlY3JldA==", sign: { $0 })
        let ground = RunGround(
            executor: loop, clock: loop, transport: server, base: BaseURL(host: "server.test", port: 80))
        let run = LoadRun(options, access: access, on: ground)
        return try loop.run { await run.run { _ in } }
    }

    @Test(arguments: Delivery.allCases, [UInt64(1), 2])
    func `a server that keeps the rules is found right`(delivery: Delivery, seed: UInt64) throws {
        let report = try run(delivery, seed: seed)
        #expect(report.findings.first == [])
        #expect(report.isRight)
        #expect(report.delivery == delivery)
        #expect(report.measurements.notModified.count > 50)
        #expect(report.measurements.count(of: .delete) > 10)
        #expect(report.sent.recalled > 0)
    }

    @Test(arguments: Delivery.allCases, [UInt64(4), 5])
    func `a server that is away now and then and loses nothing is found right`(
        delivery: Delivery, seed: UInt64
    ) throws {
        let outages = [3, 7, 11, 16].map { Duration.seconds($0)..<Duration.milliseconds($0 * 1000 + 1700) }
        let report = try run(delivery, outages: outages, seed: seed)
        #expect(report.findings.first == [])
        #expect(report.isRight)
        #expect(report.outages.count >= 4)
        #expect(report.sent.unanswered > 0)
    }

    @Test func `where devices may not claim to be someone the backend logs them in`() throws {
        let report = try run(.person, refusesClaims: true)
        #expect(report.findings.first == [])
        #expect(report.isRight)
    }

    @Test(arguments: Fault.allCases)
    func `a server that breaks a rule is found out`(fault: Fault) throws {
        let outages = fault == .forgetsWhenRestarted ? [Duration.seconds(9)..<Duration.seconds(10)] : []
        let delivery = fault == .keepsPersonAfterLogout ? Delivery.person : .devices
        let report = try run(delivery, fault: fault, outages: outages)
        let kinds = Set(report.findings.counts.keys)
        #expect(
            !kinds.isDisjoint(with: fault.found), "found \(kinds), first \(report.findings.first.prefix(3))")
        #expect(!report.isRight)
    }

    @Test func `a server that stays away is given up after the time to ride out`() throws {
        let report = try run(.person, outages: [Duration.seconds(10)..<Duration.seconds(900)])
        #expect(report.wasAbandoned)
        #expect(!report.isRight)
        #expect(report.outages.longest > .seconds(30))
        #expect(report.outages.longest < .seconds(40))
    }

    @Test func `one seed makes the same run`() throws {
        let reports = try (0..<2).map { _ in try run(.person, seed: 99) }
        #expect(reports[0].json() == reports[1].json())
    }

    @Test func `another seed makes another run`() throws {
        let reports = try [98, 99].map { try run(.person, seed: $0) }
        #expect(reports[0].measurements.statuses != reports[1].measurements.statuses)
    }
}
