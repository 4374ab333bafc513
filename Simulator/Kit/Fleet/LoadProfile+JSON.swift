import Foundation
import InboxWire

/// What is wrong with a profile, all of it.
package struct ProfileError: Error, CustomStringConvertible {
    package let problems: [String]

    package var description: String { problems.joined(separator: "; ") }
}

extension LoadProfile {
    /// Reads a profile: the name of one to begin with under `like`, or none, and what is different.
    ///
    /// - Throws: `ProfileError` naming every member that is unknown, of another kind or out of its range.
    package init(json bytes: [UInt8]) throws(ProfileError) {
        let json: JSON
        do {
            json = try JSON.parse(bytes)
        } catch {
            throw ProfileError(problems: [
                "no JSON: \(error.reason) (line \(error.line), column \(error.column))"
            ])
        }
        guard case .object(let members) = json else { throw ProfileError(problems: ["must be an object"]) }
        self.init()
        var problems: [String] = []
        if let like = json["like"] {
            if case .string(let name) = like, let base = LoadProfile.named[name] {
                self = base
            } else {
                problems.append(
                    "like must be one of \(LoadProfile.named.keys.sorted().joined(separator: ", "))")
            }
        }
        for member in members where member.name != "like" {
            if let problem = set(member) { problems.append(problem) }
        }
        if toEveryone + toTags + toPeople > 1 {
            problems.append("to_everyone, to_tags and to_people are more than 1 together")
        }
        guard problems.isEmpty else { throw ProfileError(problems: problems) }
    }

    /// Sets a member; what is wrong with it, if anything.
    private mutating func set(_ member: JSONMember) -> String? {
        switch (member.name, member.value) {
        case ("name", .string(let text)): name = text
        case ("combines_settings", .bool(let truth)): combinesSettings = truth
        case ("whole_lists", .bool(let truth)): wholeLists = truth
        case ("name", _): return "name must be a text"
        case ("combines_settings", _), ("whole_lists", _): return "\(member.name) must be true or false"
        case (let name, let value):
            if let path = LoadProfile.shares[name] { return set(path, name, value, in: 0...1) }
            if let path = LoadProfile.times[name] { return set(path, name, value, in: 0...86_400) }
            return "there is no member \(name)"
        }
        return nil
    }

    private mutating func set(
        _ path: WritableKeyPath<LoadProfile, Double>, _ name: String, _ value: JSON,
        in range: ClosedRange<Double>
    ) -> String? {
        let lowest = name == "use_seconds" ? 0.01 : range.lowerBound
        guard case .number(let number) = value, let double = number.double, double >= lowest,
            double <= range.upperBound
        else { return "\(name) must be a number from \(lowest) to \(range.upperBound)" }
        self[keyPath: path] = double
        return nil
    }

    private static var shares: [String: WritableKeyPath<LoadProfile, Double>] {
        [
            "watching": \.watching, "logged_in": \.loggedIn, "opens": \.opens, "reads": \.reads,
            "unreads": \.unreads, "deletes": \.deletes, "logins": \.logins, "offline": \.offline,
            "lists": \.lists, "pages": \.pages, "counts": \.counts, "to_everyone": \.toEveryone,
            "to_tags": \.toTags, "to_people": \.toPeople, "naming": \.naming, "short_lived": \.shortLived,
            "recalled": \.recalled,
        ]
    }

    private static var times: [String: WritableKeyPath<LoadProfile, Double>] {
        [
            "use_seconds": \.useSeconds, "offline_seconds": \.offlineSeconds, "herd_seconds": \.herdSeconds,
            "sends_per_device": \.sendsPerDevice,
        ]
    }
}
