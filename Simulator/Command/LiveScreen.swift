import Foundation
import SimulatorKit

/// Shows a run on standard error while it goes: in place on a terminal, else a line now and then.
struct LiveScreen {
    private let mode: Mode
    /// Lines of the view that stand on the terminal.
    private var drawn = 0
    private var lastLine: Duration?

    /// Between two lines where nothing can be drawn.
    private static let lineInterval = Duration.seconds(5)
    /// Where the terminal does not say how wide it is.
    private static let usualWidth = 80

    /// How a run is shown.
    enum Mode: Equatable {
        case hidden
        case lines
        case drawn(isColoured: Bool)
    }

    init(isQuiet: Bool, environment: [String: String]) {
        mode = LiveScreen.mode(
            isQuiet: isQuiet, isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
    }

    /// `NO_COLOR` takes the colours, a terminal that is `dumb` cannot go up.
    static func mode(isQuiet: Bool, isTerminal: Bool, environment: [String: String]) -> Mode {
        if isQuiet { return .hidden }
        guard isTerminal, environment["TERM"] != "dumb" else { return .lines }
        return .drawn(isColoured: environment["NO_COLOR", default: ""].isEmpty)
    }

    /// Shows a moment; to be called each second.
    mutating func show(_ snapshot: LiveSnapshot) {
        switch mode {
        case .hidden: return
        case .lines:
            if let lastLine, (.zero..<LiveScreen.lineInterval).contains(snapshot.elapsed - lastLine) {
                return
            }
            lastLine = snapshot.elapsed
            note(snapshot.words)
        case .drawn(let isColoured):
            let lines = LiveView(width: LiveScreen.width, isColoured: isColoured).lines(snapshot)
            send(LiveView.redrawn(lines, over: drawn))
            drawn = lines.count
        }
    }

    /// Shows a line that stays, above the view.
    mutating func tell(_ line: String) {
        switch mode {
        case .hidden: return
        case .lines: note(line)
        case .drawn:
            send(LiveView.redrawn([line], over: drawn))
            drawn = 0
        }
    }

    private func send(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    private static var width: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : usualWidth
    }
}
