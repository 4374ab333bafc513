import InboxModel
import Platform
import ReferenceInbox
import SimulatorKit
import Testing

/// Histories by chance against a server in memory, right and wrong.
@Suite struct HistoryTests {
    @Test func `no history disagrees with a server that keeps the rules`() async throws {
        let finding = try await HistoryCheck(on: ModelStage(), features: .all, seed: 1).run(histories: 150)
        #expect(finding?.lines == nil)
    }

    @Test func `any part of a history agrees with a server that keeps the rules`() async throws {
        var random = SeededRandom(seed: 1)
        for seed in 1...50 {
            var history = History.random(seed: UInt64(seed), features: .all)
            history.steps = history.steps.filter { _ in random.chance(2, outOf: 3) }
            let disagreement = try await HistoryRun.play(history, on: ModelStage())
            #expect(disagreement.map { history.story($0) } == nil)
        }
    }

    @Test(arguments: ModelServer.Lapse.allCases)
    func `a server that breaks a rule is found, and a short story tells how`(lapse: ModelServer.Lapse)
        async throws
    {
        let check = HistoryCheck(on: ModelStage(lapse), features: .all, seed: 1)
        let finding = try #require(try await check.run(histories: 300))
        #expect(finding.history.steps.count <= 9, "\(finding.lines.joined(separator: "\n"))")
        // Where the order of ids decides, not each time.
        var retold = 0
        for seed in 1...10 {
            let stage = ModelStage(lapse, seed: UInt64(seed))
            if try await HistoryRun.play(finding.history, on: stage) != nil { retold += 1 }
        }
        #expect(retold > 0, "it can be told again")
        let right = try await HistoryRun.play(finding.history, on: ModelStage())
        #expect(right.map { finding.history.story($0) } == nil, "it tells of the lapse and of nothing else")
    }

    @Test func `a seed gives one history, and another seed another`() {
        let histories = [7, 7, 8].map { History.random(seed: $0, features: .all) }
        #expect(histories[0] == histories[1])
        #expect(histories[0] != histories[2])
    }

    @Test func `a history asks only for what the servers can do`() async throws {
        let stage = ModelStage()
        let finding = try await HistoryCheck(on: stage, features: [], seed: 1).run(histories: 30)
        #expect(finding?.lines == nil)
        #expect(stage.asked == ["api/channels", "api/named_users", "api/user", "v1/messages"])
    }

    @Test func `of things that happen at once either order is right`() async throws {
        let world = World(
            tenants: [ReferenceInbox.Settings(keepsWithPeople: true, trustsDevices: true)],
            devices: [World.Device(tenant: 0, type: .ios), World.Device(tenant: 0, type: .ios)])
        func send(_ number: Int, _ selection: Selection) -> Action {
            .send(Sending(number: number, tenant: 0, to: selection))
        }
        let look = Action.look(.device(0), .list(.none, isConditional: false))
        let history = History(
            world: world,
            steps: [
                Step(after: 1, .register(0, tags: [])), Step(after: 1, .login(0, person: 0, by: .backend)),
                Step(after: 1, .together(Step(look), Step(send(1, .people([0]))))), Step(look),
                Step(after: 1, .together(Step(.logout(0, by: .backend)), Step(on: 1, look))), Step(look),
                Step(
                    after: 1,
                    .together(Step(.login(0, person: 0, by: .backend)), Step(.erase(tenant: 0, person: 0)))),
                Step(look),
            ])
        let disagreement = try await HistoryRun.play(history, on: ModelStage())
        #expect(disagreement == nil)
    }
}

/// The shortest part that fails.
@Suite struct ShrinkerTests {
    private static let world = World(tenants: [], devices: [])

    private static func history(_ numbers: Range<Int>) -> History {
        History(world: world, steps: numbers.map { Step(.recall($0)) })
    }

    /// Fails at the last of the numbers, if all are there.
    private static func play(_ history: History, failing numbers: Set<Int>) -> Disagreement? {
        let places = history.steps.indices.filter { index in
            if case .recall(let number) = history.steps[index].action {
                numbers.contains(number)
            } else {
                false
            }
        }
        return places.count == numbers.count ? Disagreement(step: places.last ?? 0, text: "wrong") : nil
    }

    @Test(arguments: [[3], [0, 39], [5, 6, 7], [1, 11, 21, 31], [0, 1, 38]])
    func `what is left fails, and nothing of it can be missed`(numbers: [Int]) async throws {
        let history = Self.history(0..<40)
        let first = try #require(Self.play(history, failing: Set(numbers)))
        let shortest = try await Shrinker.shortest(of: history, first) {
            Self.play($0, failing: Set(numbers))
        }
        #expect(shortest.history.steps == numbers.map { Step(.recall($0)) })
        #expect(shortest.disagreement.step == numbers.count - 1)
    }

    @Test func `it ends at its bound`() async throws {
        let plays = Lock(0)
        let history = Self.history(0..<200)
        _ = try await Shrinker.shortest(of: history, Disagreement(step: 199, text: ""), mostPlays: 10) { _ in
            plays.withLock { $0 += 1 }
            return nil
        }
        #expect(plays.withLock { $0 } == 10)
    }
}
