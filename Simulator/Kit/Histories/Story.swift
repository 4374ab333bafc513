import InboxModel
import ReferenceInbox

extension History {
    /// What happens, a line a step, up to a disagreement and what it is.
    package func story(_ disagreement: Disagreement) -> [String] {
        let shown = steps.prefix(disagreement.step + 1)
        return world.tenants.indices.map { "\(World.apps[$0]): \(world.tenants[$0].words)" }
            + shown.enumerated().map { "\($0 + 1). \($1.words)" }
            + disagreement.text.split(separator: "\n").map { "   \($0)" }
    }
}

extension ReferenceInbox.Settings {
    /// How an app is set, for people.
    var words: String {
        [
            keepsWithPeople ? "keeps with people" : "keeps with devices",
            trustsDevices ? "trusts devices" : nil, filters ? "filters" : nil,
            filters && showsUntargeted ? "shows untargeted" : nil, "cap \(cap)",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension Step {
    /// The step as a sentence.
    var words: String {
        let pause = milliseconds > 0 ? "after \(milliseconds) ms " : ""
        switch action {
        case .wait: return "\(milliseconds) ms pass"
        case .waitForExpiry, .waitForEnd, .together: return pause + action.words
        default: return pause + action.words + (server > 0 ? " (at the other server)" : "")
        }
    }
}

extension Caller {
    var words: String {
        switch self {
        case .device(let number): "device \(number)"
        case .session(let number): "session \(number)"
        }
    }
}

extension Action {
    fileprivate var words: String {
        switch self {
        case .register, .attach, .uninstall, .login, .logout, .openSession, .endSession: identityWords
        case .erase(let tenant, let person): "\(World.apps[tenant]) erases \(name(person))"
        case .tagDevice(let device, let tags, let ofPeople):
            "device \(device) gets the tags \(list(tags))" + (ofPeople ? " of people" : "")
        case .tagPerson(let tenant, let person, let tags):
            "\(World.apps[tenant]) gives \(name(person)) the tags \(list(tags))"
        case .change(let tenant, let settings): "\(World.apps[tenant]) is set to: \(settings.words)"
        case .send(let sending): sending.words
        case .sendAgain(let number): "m\(number) is sent again with its key"
        case .recall(let number): "m\(number) is taken back"
        case .mark(let caller, let mark, let numbers, let surface):
            "\(caller.words) marks \(numbers.map { "m\($0)" }.joined(separator: ", ")) \(mark.rawValue)"
                + (surface == .device ? " by the device interface" : "")
        case .markAll(let caller, let mark): "\(caller.words) marks all that it saw \(mark.rawValue)"
        case .wait: "time passes"
        case .waitForExpiry(let number, let milliseconds):
            "time passes until \(milliseconds) ms after the expiry of m\(number)"
        case .look(let caller, let look): "\(caller.words) asks for \(look.words)"
        case .waitForEnd(let session, let milliseconds):
            "time passes until \(milliseconds) ms after the end of session \(session)"
        case .together(let one, let other): "at once: \(one.words) | \(other.words)"
        }
    }

    private var identityWords: String {
        switch self {
        case .register(let device, let tags): "device \(device) registers with the tags \(list(tags))"
        case .attach(let device, let other): "device \(device) attaches the channel of device \(other)"
        case .uninstall(let device): "device \(device) is uninstalled"
        case .login(let device, let person, let voucher):
            "\(name(person)) logs in on device \(device), by the \(voucher == .backend ? "backend" : "device")"
        case .logout(let device, let voucher):
            "device \(device) is logged out by the \(voucher == .backend ? "backend" : "device")"
        case .openSession(let session, let tenant, let person, let seconds):
            "\(World.apps[tenant]) opens session \(session) for \(name(person)), \(seconds) s"
        case .endSession(let session): "session \(session) is ended"
        default: ""
        }
    }

    private func name(_ person: Int) -> String { World.people[person].text }

    private func list(_ tags: Set<Int>) -> String {
        "[" + tags.sorted().map { World.tags[$0] }.joined(separator: ", ") + "]"
    }
}

extension Sending {
    fileprivate var words: String {
        [
            "\(World.apps[tenant]) sends \(title) to \(selection.words)",
            seconds.map { "for \($0) s" }, named.map { "naming \(World.people[$0].text)" },
            tag.map { "tagged \(World.tags[$0])" }, types == .all ? nil : "on types \(types.rawValue) only",
        ].compactMap(\.self).joined(separator: ", ")
    }
}

extension Selection {
    fileprivate var words: String {
        switch self {
        case .everyone: "everyone"
        case .devices(let devices): "devices \(devices)"
        case .people(let people): people.map { World.people[$0].text }.joined(separator: " or ")
        case .tag(let tag, let ofPeople): "tag \(World.tags[tag])" + (ofPeople ? " of people" : "")
        case .nobody: "an unknown person"
        case .all(let parts): "(" + parts.map(\.words).joined(separator: " and ") + ")"
        case .any(let parts): "(" + parts.map(\.words).joined(separator: " or ") + ")"
        case .not(let part): "not (\(part.words))"
        }
    }
}

extension Look {
    fileprivate var words: String {
        switch self {
        case .deviceList(let isConditional):
            "its list by the device interface" + (isConditional ? ", if modified" : "")
        case .list(let narrowing, let isConditional):
            "its list\(narrowing.words)" + (isConditional ? ", if modified" : "")
        case .page(let limit, let isFirst): "\(isFirst ? "the first" : "the next") page of \(limit)"
        case .changes(let limit, let isRepeated, let times):
            "\(limit) changes" + (isRepeated ? " since the cursor before" : "")
                + (times > 1 ? ", and applies them \(times) times" : "")
        case .sinceAnswer: "changes since the cursor that it was answered"
        case .count(let narrowing): "the count\(narrowing.words)"
        case .message(let number): "m\(number)"
        case .body(let number, let surface):
            "the body of m\(number)" + (surface == .device ? " by the device interface" : "")
        }
    }
}

extension Narrowing {
    fileprivate var words: String {
        (onlyUnread ? ", only unread" : "") + (tag.map { ", only tag \(World.tags[$0])" } ?? "")
    }
}
