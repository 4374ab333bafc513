/// Writes markup that is HTML and XML at once; text and attributes are escaped, elements closed.
struct Markup {
    private(set) var text = ""

    /// An element and what is in it.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:],
        _ content: (inout Markup) -> Void
    ) {
        open(name, attributes)
        text += ">"
        content(&self)
        text += "</\(name)>"
    }

    /// An element that holds text alone.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, _ words: String) {
        element(name, attributes) { markup in markup.write(words) }
    }

    /// An element that holds text alone, without attributes.
    mutating func element(_ name: String, _ words: String) { element(name, [:], words) }

    /// An element that holds nothing.
    mutating func empty(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        open(name, attributes)
        text += " />"
    }

    /// Text as it is to be read.
    mutating func write(_ words: String) { text += Markup.escaped(words) }

    /// The program's own style sheet, or the line that begins a document.
    mutating func raw(_ markup: StaticString) { text += "\(markup)" }

    private mutating func open(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Markup.escaped(value))\"" }
    }

    /// Text in which nothing is markup, and what XML knows no way to write is replaced.
    static func escaped(_ words: String) -> String {
        var escaped = ""
        escaped.unicodeScalars.reserveCapacity(words.unicodeScalars.count)
        for scalar in words.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n", "\r": escaped += " "
            case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}",
                "\u{FFFE}", "\u{FFFF}":
                // Controls, and those that turn the direction of what follows.
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
