/// Durations as a row of small bars.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// A bar for each duration, the longest as high as a line; a space where there is none.
    static func words(_ durations: some Sequence<Duration?>) -> String {
        let durations = Array(durations)
        let highest = durations.compactMap(\.self).max()?.inSeconds ?? 0
        guard highest > 0 else { return "" }
        return String(
            durations.map { duration -> Character in
                guard let duration else { return " " }
                let part = duration.inSeconds / highest
                return bars[min(bars.count - 1, Int(part * Double(bars.count)))]
            })
    }
}
