import EventLoop
import HTTPCore
import InboxWire

/// Looks at a message until all of its audience has it, and shows how far it has come.
struct DeliveryWatch {
    let server: RemoteServer
    let console: Console

    /// Whether the message was taken back.
    static func isRecalled(_ message: JSON) -> Bool { message["state"]?.string == "recalled" }

    /// What is said of a message that is not on its way any more.
    static func end(_ message: JSON) -> String {
        let recipients = Text.count(message["recipients"]?.integer ?? 0, "recipient")
        if isRecalled(message) { return "recalled from \(recipients)" }
        return "\(message["state"]?.string ?? "sent") to \(recipients)"
    }

    private static let lookEvery = Duration.milliseconds(500)

    /// Returns the message as the server shows it once nothing more is delivered.
    func follow(_ message: String) async throws -> JSON {
        let loop = try EventLoop.start(name: "wait")
        defer {
            loop.stop()
            loop.join()
        }
        var shown: Progress?
        while true {
            let answer = try await server.call(.get, "/v1/messages/\(Target.escaped(message))")
            guard let progress = Progress(answer) else {
                if shown != nil { console.endProgress() }
                return answer
            }
            if progress != shown { console.showProgress(progress.line(isBar: console.isTerminal)) }
            shown = progress
            try await loop.sleep(for: DeliveryWatch.lookEvery)
        }
    }
}

/// How far a message has come on its way to a large audience.
struct Progress: Equatable {
    let delivered: Int64
    let estimate: Int64

    /// Nothing if the message is not on its way.
    init?(_ message: JSON) {
        guard message["state"]?.string == "delivering",
            let delivered = message["progress"]?["delivered"]?.integer,
            let estimate = message["progress"]?["estimate"]?.integer
        else { return nil }
        (self.delivered, self.estimate) = (delivered, estimate)
    }

    init(delivered: Int64, estimate: Int64) {
        (self.delivered, self.estimate) = (delivered, estimate)
    }

    /// One line; the estimate was made when the message was sent, so the number may end below or above it.
    func line(isBar: Bool) -> String {
        let text = "delivered \(delivered) of about \(estimate)"
        guard isBar else { return text }
        let filled = estimate > 0 ? Int(min(delivered, estimate) * Progress.barWidth / estimate) : 0
        let bar = String(repeating: "#", count: filled)
        let rest = String(repeating: ".", count: Int(Progress.barWidth) - filled)
        return "[\(bar)\(rest)] \(text)"
    }

    private static let barWidth: Int64 = 30
}
