/// Numbers as people read them.
package enum Words {
    /// `850 µs`, `12.4 ms`, `1.23 s`, `95 s`: three digits at most, so that columns are easily compared.
    package static func duration(_ duration: Duration) -> String {
        let microseconds = Double(duration.microseconds)
        return if microseconds < 999.5 {
            "\(Int(microseconds)) µs"
        } else if microseconds < 999_500 {
            "\(digits(microseconds / 1000)) ms"
        } else {
            "\(digits(microseconds / 1_000_000)) s"
        }
    }

    /// A duration, or a dash.
    package static func duration(_ duration: Duration?) -> String {
        duration.map { self.duration($0) } ?? "–"
    }

    /// `1,234,567`.
    package static func number(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1,234` or `0.52`: whole, unless that would say little.
    package static func rate(_ rate: Double) -> String {
        rate >= 99.95 ? number(Int(rate.rounded())) : digits(rate)
    }

    /// `99.98 %`, never rounded up: all is only said of all.
    package static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000 + 1e-9).rounded(.down))
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
    }

    /// A share, or a dash.
    package static func percent(_ share: Double?) -> String { share.map { percent($0) } ?? "–" }

    /// `41 %`, where a hundredth says nothing, or a dash.
    package static func wholePercent(_ share: Double?) -> String {
        share.map { "\(Int(($0 * 100).rounded())) %" } ?? "–"
    }

    /// `0:05`, `12:30`, `1:02:03`.
    package static func clock(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    /// `12.3 s`, `2 min 30 s`, `1 h 5 min`: how long a run was.
    package static func span(_ duration: Duration) -> String {
        let whole = Int(duration.inSeconds.rounded())
        if whole < 100 { return "\(decimal(duration.inSeconds, 1)) s" }
        let (large, small, names) =
            whole < 3600
            ? (whole / 60, whole % 60, ("min", "s")) : (whole / 3600, whole / 60 % 60, ("h", "min"))
        return "\(large) \(names.0)" + (small > 0 ? " \(small) \(names.1)" : "")
    }

    /// `512 KiB`, `96 MiB`, `1.5 GiB`.
    package static func bytes(_ bytes: Int) -> String {
        if bytes < 1 << 20 { return "\(bytes >> 10) KiB" }
        return bytes < 1 << 30 ? "\(bytes >> 20) MiB" : "\(digits(Double(bytes) / Double(1 << 30))) GiB"
    }

    /// A text without controls, and without what turns the direction of what follows.
    static func visible(_ text: String) -> String {
        var visible = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                visible += "\u{FFFD}"
            default: visible.unicodeScalars.append(scalar)
            }
        }
        return visible
    }

    /// Three digits, the trailing zeros of a fraction left out.
    static func digits(_ value: Double) -> String {
        let decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
        return decimal(value, decimals)
    }

    /// A value with so many decimals at most.
    static func decimal(_ value: Double, _ decimals: Int) -> String {
        let scale = [1, 10, 100][min(decimals, 2)]
        let scaled = Int((value.magnitude * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        var fraction = String(scaled % scale + scale).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(sign)\(scaled / scale)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }
}
