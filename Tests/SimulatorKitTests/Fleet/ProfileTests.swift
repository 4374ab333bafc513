import SimulatorKit
import Testing

struct ProfileTests {
    @Test func `a file begins with a named profile and says what is different`() throws {
        let profile = try LoadProfile(
            json: Array(#"{"like":"campaign","name":"mine","use_seconds":2.5}"#.utf8))
        #expect(profile.name == "mine")
        #expect(profile.useSeconds == 2.5)
        #expect(profile.toTags == LoadProfile.campaign.toTags)
    }

    @Test(arguments: [
        (#"{"watching":1.5}"#, "watching must be a number from 0.0 to 1.0"),
        (#"{"use_seconds":0}"#, "use_seconds must be a number from 0.01 to 86400.0"),
        (#"{"use_seconds":"1"}"#, "use_seconds must be a number from 0.01 to 86400.0"),
        (#"{"speed":1}"#, "there is no member speed"),
        (#"{"like":"nobody"}"#, "like must be one of campaign, commuter, herd, idle-stream, shared-phone"),
        (#"{"to_tags":0.9,"to_people":0.9}"#, "to_everyone, to_tags and to_people are more than 1 together"),
        (#"[]"#, "must be an object"), (#"{"#, "no JSON"), (#"{"name":1}"#, "name must be a text"),
        (#"{"combines_settings":1}"#, "combines_settings must be true or false"),
    ])
    func `what is wrong with a profile is named`(json: String, problem: String) {
        #expect {
            try LoadProfile(json: Array(json.utf8))
        } throws: { error in
            "\(error)".contains(problem)
        }
    }

    @Test func `all problems are told together`() {
        #expect {
            try LoadProfile(json: Array(#"{"speed":1,"watching":-1}"#.utf8))
        } throws: { error in
            (error as? ProfileError)?.problems.count == 2
        }
    }
}
