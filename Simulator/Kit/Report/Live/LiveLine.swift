/// A line of a live view: pieces of text, some of which are set off.
struct LiveLine {
    private var pieces: [(text: String, tone: Tone)] = []

    /// How a piece is set off.
    enum Tone {
        case plain, quiet, alarm, good
    }

    /// Adds a piece.
    mutating func add(_ text: String, _ tone: Tone = .plain) { pieces.append((text, tone)) }

    /// The line, cut to the width of a terminal, with or without colour.
    func words(width: Int, isColoured: Bool) -> String {
        var (words, left) = ("", width)
        for piece in pieces where left > 0 {
            let text = String(piece.text.prefix(left))
            left -= text.count
            words += isColoured ? LiveLine.coloured(text, piece.tone) : text
        }
        return words
    }

    private static func coloured(_ text: String, _ tone: Tone) -> String {
        switch tone {
        case .plain: text
        case .quiet: "\u{1B}[2m\(text)\u{1B}[0m"
        case .alarm: "\u{1B}[31m\(text)\u{1B}[0m"
        case .good: "\u{1B}[32m\(text)\u{1B}[0m"
        }
    }
}
