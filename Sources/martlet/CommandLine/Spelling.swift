/// The nearest of the words that exist to one that does not.
enum Spelling {
    /// A word at most two edits away, and less than half of the word's length; the nearest, then the first.
    static func nearest(to word: String, among words: [String]) -> String? {
        let bound = min(2, word.count / 2)
        let near = words.map { (word: $0, edits: edits(from: Array(word), to: Array($0))) }
        return near.filter { $0.edits <= bound }.min { $0.edits < $1.edits }?.word
    }

    /// A question to append to an error, or nothing.
    static func question(_ word: String, among words: [String]) -> String {
        nearest(to: word, among: words).map { "; did you mean \($0)?" } ?? ""
    }

    /// Insertions, removals and changes of a character that turn one word into the other (Levenshtein).
    private static func edits(from one: [Character], to other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (line, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in other.indices {
                let change = diagonal + (other[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
