/// The texts of a run's messages: each follows from the message's number, so that no device keeps any.
package struct Composition: Sendable {
    /// Tells this run's messages and people from those of any other.
    package let run: String

    package init(run: String) { self.run = run }

    /// The extra that holds run and number; by it a message is known whose send was never answered.
    package static let serialKey = "simulator"

    /// A title; some have what JSON must escape or what takes several bytes.
    package func title(_ number: Int) -> String {
        switch number % 5 {
        case 0: "“Grüße” №\(number) 👩🏽‍🚀 \u{1F426}"
        case 1: "Quotes \" and \\ and / and \t in \(number)"
        default: "Message \(number)"
        }
    }

    /// The extras; those of a message that names a person for a filter hold that, too.
    package func extra(_ number: Int, naming named: Int? = nil) -> [String: String] {
        var extra = [
            Composition.serialKey: "\(run)/\(number)",
            "com.urbanairship.listing.field1": "second line of \(number)\n",
        ]
        if let named { extra["named_user_id"] = person(named) }
        return extra
    }

    /// The number in a message's extras; nothing if the message is none of this run's.
    package func serial(in extra: [String: String]) -> Int? {
        guard let text = extra[Composition.serialKey], text.hasPrefix(run + "/") else { return nil }
        return Int(text.dropFirst(run.count + 1))
    }

    package func body(_ number: Int) -> String {
        "<!doctype html><p>Body of \(number) – ünïcode \u{1F426}</p>"
    }

    package func person(_ number: Int) -> String { "sim-\(run)-\(number)" }

    package func tag(_ number: Int) -> String { "sim-\(run)-tag-\(number)" }
}
