import ReferenceInbox
import SimulatorKit
import TestSupport
import Testing

/// Whether a fleet would find what a server may do wrong, and say which rule that breaks.
@Suite struct PlantedFaultTests {
    @Test(arguments: [true, false])
    func `a fleet finds nothing wrong with a server that has no fault`(keepsWithPeople: Bool) async throws {
        try await TwoShards.open(TwoShards.Options(clockGoes: true)) { stage in
            var planted = PlantedStage(stage: stage, name: "none")
            planted.settings.keepsWithPeople = keepsWithPeople
            planted.settings.filters = !keepsWithPeople
            planted.settings.showsUntargeted = true
            planted.settings.cap = 12
            var profile = LoadProfile.eager
            profile.watching = 0.7
            let story = try await planted.run(profile, for: .seconds(12))
            #expect(story?.lines.joined(separator: "\n") == nil)
        }
    }

    @Test(arguments: PlantedFault.allCases)
    func `a planted fault is found within a minute and told by its rule`(fault: PlantedFault) async throws {
        try await TwoShards.open(TwoShards.Options(fault: fault, clockGoes: true)) { stage in
            var planted = PlantedStage(stage: stage, name: fault.rawValue)
            if fault == .returningCap { planted.settings.cap = 12 }
            var profile = LoadProfile.eager
            // The count of a wrong list is wrong too: asked for alone, it would now and then be seen first.
            profile.counts = 0
            let story = try #require(try await planted.run(profile, for: .seconds(45)))
            let text = story.lines.joined(separator: "\n")
            #expect(fault.rules.contains(story.difference.rule), "\(text)")
            #expect(story.lines.last?.hasPrefix("this breaks rule") == true, "\(text)")
        }
    }

    @Test(arguments: DoorFault.allCases)
    func `a fault at the door is found within a minute and told by its rule`(fault: DoorFault) async throws {
        try await TwoShards.open(TwoShards.Options(clockGoes: true)) { stage in
            let planted = PlantedStage(stage: stage, name: fault.rawValue, fault: fault)
            var profile = LoadProfile.eager
            if fault == .silentStream { profile.watching = 0.7 }
            let story = try #require(try await planted.run(profile, for: .seconds(45)))
            let text = story.lines.joined(separator: "\n")
            #expect(fault.rules.contains(story.difference.rule), "\(text)")
            #expect(fault.sources.contains(story.difference.source), "\(text)")
            #expect(story.lines.last?.hasPrefix("this breaks rule") == true, "\(text)")
        }
    }
}

extension LoadProfile {
    /// Users who look at their devices twice a second and try everything.
    fileprivate static var eager: LoadProfile {
        var profile = LoadProfile()
        profile.name = "eager"
        profile.useSeconds = 0.5
        profile.watching = 0
        profile.loggedIn = 0.8
        (profile.opens, profile.reads, profile.unreads, profile.deletes) = (0.5, 0.3, 0.05, 0.3)
        profile.logins = 0.1
        (profile.offline, profile.offlineSeconds) = (0.02, 1)
        (profile.lists, profile.pages, profile.counts) = (0.5, 0.3, 0.1)
        (profile.toEveryone, profile.toTags, profile.toPeople) = (0.1, 0.1, 0.6)
        (profile.naming, profile.shortLived, profile.recalled) = (0.2, 0.2, 0.2)
        return profile
    }
}

extension PlantedFault {
    /// The rules that it may be told by.
    fileprivate var rules: Set<Int?> {
        switch self {
        // Or by the count beside changes that do not tell of a mark, before it is certain that they must.
        case .skippedRevision, .staleInstance: [2, 6]
        case .resurrectedDelete: [4]
        // Or by the count beside a page, which comes before the last page tells which message is there again.
        case .returningCap: [4, 6]
        case .leakedTenant: [12]
        // By what the mark was to do, if a list shows the message as it was, or by an answer that tells of no change.
        case .lostBroadcastMark: [2, 4, 5, 6]
        // Or by a read of it, which changes nothing once it has expired.
        case .expiredListed: [11, 5]
        case .lingeringPerson: [7]
        case .bodyAfterRecall: [10]
        }
    }
}

extension DoorFault {
    /// The rules that it may be told by.
    fileprivate var rules: Set<Int?> {
        switch self {
        case .shortPage, .lostMessage: [3]
        // By whatever took it: a delete, the cap, a recall, its expiry, a logout.
        case .goneMessage: [4, 7, 10, 11, 14]
        case .unreadMessage: [5]
        case .openMessage: [4, 7, 10, 11, 12, 14]
        case .silentStream: [2]
        }
    }

    /// Where it shows.
    fileprivate var sources: Set<String> {
        switch self {
        case .shortPage: ["page", "pages"]
        case .goneMessage, .unreadMessage, .openMessage, .lostMessage: ["message"]
        case .silentStream: ["stream"]
        }
    }
}
