import Foundation
import HTTPCore
import InboxModel
import InboxWire
import Platform
import ReferenceInbox

/// Where an answer is not what the rules say.
package struct Disagreement: Hashable, Sendable {
    /// The step's place in the history.
    package let step: Int
    /// What was expected, and what came.
    package let text: String

    package init(step: Int, text: String) {
        self.step = step
        self.text = text
    }
}

/// What an answer says of the rules: changes a model as the request should have, and tells what is wrong.
typealias Judgement = (inout ReferenceInbox) -> String?

/// One playing of a history in fresh apps, each answer held against the rules.
package struct HistoryRun {
    let stage: any HistoryStage
    let world: World
    let features: StageFeatures
    var tenants: [Tenant] = []
    var devices: [Int: Member] = [:]
    var sessions: [Int: Member] = [:]
    var clients: [Caller: HistoryClient] = [:]
    var sends: [Int: Sent] = [:]
    /// What was done so far, looking aside: as long as it is the same, all answers are.
    var deeds = 0
    /// Whether something else was under way when the answer came, so that nobody knows which was first.
    var isContended = false
    private var now = Instant(rawValue: 0)

    /// An app and what it may look like: more than one way after things happened at once.
    struct Tenant {
        let calls: AppCalls
        var models: [ReferenceInbox]
        /// How often its settings were changed.
        var changes = 0
    }

    /// Who asks for an inbox: a device, or a session without a channel.
    struct Member {
        let tenant: Int
        let user: UserID
        let authorization: String
        /// The channel that it registered.
        var home: ChannelID?
        /// The channel that it has now; another may have taken it.
        var channel: ChannelID?
        var type = DeviceType.web
        /// When a session does.
        var ends: Instant?
    }

    /// What is about to be asked.
    struct Plan {
        let tenant: Int
        let request: Request
        // What was meant, since it may be something else when the answer comes.
        var channel: ChannelID?
        var messages: [MessageID] = []
        var seen: HistoryClient.Seen?
    }

    /// A message that was sent.
    struct Sent {
        let sending: Sending
        let request: Request
        let answer: Response
        let id: MessageID
    }

    /// Plays a history in apps of its own; nothing if every answer was right.
    ///
    /// - Throws: what the stage throws, when no answer comes.
    package static func play(
        _ history: History, on stage: any HistoryStage, features: StageFeatures = .all
    ) async throws -> Disagreement? {
        var run = HistoryRun(stage: stage, world: history.world, features: features)
        try await run.begin()
        for (index, step) in history.steps.enumerated() {
            do {
                if let text = try await run.take(step) { return Disagreement(step: index, text: text) }
            } catch let error as Unreadable {
                return Disagreement(step: index, text: error.text)
            }
        }
        return nil
    }

    private init(stage: any HistoryStage, world: World, features: StageFeatures) {
        self.stage = stage
        self.world = world
        self.features = features
    }

    private mutating func begin() async throws {
        now = try await stage.advanceClock(by: .milliseconds(1))
        for settings in world.tenants {
            let calls = AppCalls(try await stage.makeApp(settings))
            tenants.append(Tenant(calls: calls, models: [ReferenceInbox(settings, now: now)]))
        }
    }

    private mutating func take(_ step: Step) async throws -> String? {
        try await pass(step.milliseconds)
        switch step.action {
        case .wait: return nil
        case .waitForExpiry(let number, let milliseconds):
            if let expires = expiry(of: number) {
                try await pass(expires.milliseconds + milliseconds - now.milliseconds)
            }
            return nil
        case .waitForEnd(let session, let milliseconds):
            if let ends = sessions[session]?.ends {
                try await pass(ends.milliseconds + milliseconds - now.milliseconds)
            }
            return nil
        case .register(let device, let tags): return try await register(device, tags, on: step.server)
        case .together(let one, let other): return try await together(one, other)
        default:
            guard let plan = try plan(step.action) else { return nil }
            let response = try await stage.call(plan.request, on: step.server)
            return settle(plan.tenant, [try hear(response, step.action, plan)])
        }
    }

    /// Sets the clock forward; time is a deed too.
    private mutating func pass(_ milliseconds: Int64) async throws {
        guard milliseconds > 0 else { return }
        now = try await stage.advanceClock(by: .milliseconds(milliseconds))
        deeds += 1
        for tenant in tenants.indices {
            for model in tenants[tenant].models.indices { tenants[tenant].models[model].now = now }
        }
    }

    /// Two requests under way at the same time: right is what any order of their parts allows.
    private mutating func together(_ one: Step, _ other: Step) async throws -> String? {
        guard let first = try plan(one.action), let second = try plan(other.action),
            first.tenant == second.tenant
        else { return nil }
        let stage = stage
        async let answer = stage.call(first.request, on: one.server)
        let otherAnswer = try await stage.call(second.request, on: other.server)
        isContended = true
        defer { isContended = false }
        var turns = [(one.action, first, try await answer), (other.action, second, otherAnswer)]
        // Deeds first: a question may have been answered with what they made.
        if case .look = turns[0].0 { turns.reverse() }
        let judgements = try turns.map { action, plan, answer in try hear(answer, action, plan) }
        return settle(first.tenant, HistoryRun.orders(judgements[0], judgements[1]))
    }

    /// All ways in which the parts of two things can have followed each other.
    private static func orders(_ one: [Judgement], _ other: [Judgement]) -> [[Judgement]] {
        guard let first = one.first, let otherFirst = other.first else { return [one + other] }
        return orders(Array(one.dropFirst()), other).map { [first] + $0 }
            + orders(one, Array(other.dropFirst())).map { [otherFirst] + $0 }
    }

    /// Keeps the models that an order of judgements agrees with; says what is wrong if there is none.
    mutating func settle(_ tenant: Int, _ orders: [[Judgement]]) -> String? {
        var agreeing: [ReferenceInbox] = []
        var complaint: String?
        for candidate in tenants[tenant].models {
            for order in orders {
                var model = candidate
                if let wrong = HistoryRun.wrong(&model, order) {
                    complaint = complaint ?? wrong
                } else if !agreeing.contains(model) {
                    agreeing.append(model)
                }
            }
        }
        guard !agreeing.isEmpty else { return complaint ?? "no answer" }
        tenants[tenant].models = Array(agreeing.prefix(HistoryRun.mostModels))
        return nil
    }

    /// The first complaint of judgements about a model, which they change one after another.
    private static func wrong(_ model: inout ReferenceInbox, _ order: [Judgement]) -> String? {
        for judge in order {
            if let wrong = judge(&model) { return wrong }
        }
        return nil
    }

    /// Ways in which things that happened at once may have gone; the next look tells most of them apart.
    private static let mostModels = 8

    private func expiry(of number: Int) -> Instant? {
        guard let sent = sends[number], let json = try? sent.answer.json(202) else { return nil }
        return (try? json.string("expires")).flatMap { try? Sighting.instant($0) }
    }

    // MARK: Registering, the one thing that may take two requests

    private mutating func register(_ device: Int, _ tags: Set<Int>, on server: Int) async throws -> String? {
        guard devices[device] == nil else { return nil }
        deeds += 1
        let (tenant, type) = (world.devices[device].tenant, world.devices[device].type)
        let calls = tenants[tenant].calls
        let names = tags.sorted().map { World.tags[$0] }
        let member: Member
        if features.contains(.channels), type == .web || device.isMultiple(of: 2) {
            let channel = try HistoryRun.channel(device)
            let password = "the-password-of-device-\(device)"
            let request = calls.register(channel, type, password: password, tags: names)
            let json = try await stage.call(request, on: server).json(201)
            member = try Member(
                tenant: tenant, user: HistoryRun.user(json),
                authorization: AppCalls.basic(json.string("user_id"), password), home: channel,
                channel: channel,
                type: type)
        } else {
            let made = try await stage.call(calls.createChannel(type, tags: names), on: server).json(201)
            guard let channel = ChannelID(text: try made.string("channel_id")) else {
                throw Unreadable(made.text)
            }
            let json = try await stage.call(calls.createUser(type, on: channel), on: server).json(201)
            let authorization = try AppCalls.basic(json.string("user_id"), json.string("password"))
            member = try Member(
                tenant: tenant, user: HistoryRun.user(json), authorization: authorization, home: channel,
                channel: channel, type: type)
        }
        devices[device] = member
        return settle(
            tenant,
            [
                [
                    { model in
                        guard let channel = member.home else { return "no channel" }
                        model.register(channel, type, tags: Set(names))
                        model.makeUser(member.user, on: channel)
                        return nil
                    }
                ]
            ])
    }

    static func user(_ json: JSON) throws(Unreadable) -> UserID {
        guard let user = UserID(text: Array(try json.string("user_id").utf8)[...]) else {
            throw Unreadable("a user's id in \(json.text)")
        }
        return user
    }

    private static func channel(_ device: Int) throws(Unreadable) -> ChannelID {
        let digits = String(1_000_000 + device).suffix(6)
        guard let channel = ChannelID(text: "0e1f2a3b-4c5d-4e6f-8a9b-000000\(digits)") else {
            throw Unreadable("a channel's id")
        }
        return channel
    }
}
