import Platform

/// What happened in a world: a digest of everything, and on wish a story in words.
package struct Chronicle: Sendable {
    /// FNV-1a, by eight bytes at a time.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether words are kept too.
    let isTelling: Bool
    private(set) var lines: [Line] = []

    /// Something that happened to a device, or to all without one.
    struct Line: Sendable {
        let phone: Int?
        let text: String
    }

    init(isTelling: Bool) { self.isTelling = isTelling }

    mutating func fold(_ number: UInt64) { digest = (digest ^ number) &* 0x100_0000_01B3 }

    mutating func fold(_ number: Int) { fold(UInt64(bitPattern: Int64(number))) }

    mutating func fold(_ text: String) { for byte in text.utf8 { fold(UInt64(byte)) } }

    /// Words are made only if somebody is to read them.
    mutating func tell(_ phone: Int?, at time: Duration, _ words: @autoclosure () -> String) {
        guard isTelling else { return }
        let who = phone.map { "device \($0) " } ?? ""
        lines.append(Line(phone: phone, text: "\(Chronicle.clock(time)) \(who)\(words())"))
    }

    /// The last lines that concern a device.
    func story(of phone: Int?, atMost most: Int) -> [String] {
        let all = phone.map { phone in lines.filter { $0.phone == phone || $0.phone == nil } } ?? lines
        let left = all.count > most ? ["… \(all.count - most) lines before"] : []
        return left + all.suffix(most).map(\.text)
    }

    /// `2d 03:04:05.678`, since the world began.
    static func clock(_ time: Duration) -> String {
        let milliseconds =
            time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        let fraction = String(String(1000 + rest).dropFirst())
        return "\(seconds / 86_400)d \(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):"
            + "\(two(seconds % 60)).\(fraction)"
    }
}
