import Foundation
import SimulatorKit

extension Usage {
    /// What this process has taken until now.
    static func now() -> Usage {
        // Microseconds on every system: POSIX fixes the unit.
        Usage(cpu: .microseconds(Int64(clock())), peakBytes: peakBytes())
    }

    /// From the line `VmHWM:   123456 kB`.
    private static func peakBytes() -> Int {
        do {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
        } catch {
            return 0  // no such file outside Linux
        }
    }
}
