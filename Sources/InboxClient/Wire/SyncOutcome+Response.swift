import Foundation
package import HTTPCore
internal import InboxWire
package import Platform

extension SyncProblem {
    /// What an answer other than the expected one means.
    package init(_ response: Response) {
        let reason = SyncProblem.reason(response)
        let text = reason.isEmpty ? "\(response.status)" : "\(response.status) \(reason)"
        let retryAfter = response.headers["Retry-After"].flatMap { Int64($0) }
            .map { Duration.seconds(min(max(0, $0), SyncProblem.longestRetryAfter)) }
        switch response.status {
        case 401: self.init(.unauthorized, text)
        case 429, 500...: self.init(.busy, text, retryAfter: retryAfter)
        case 400..<500: self.init(.refused(status: response.status), text)
        default: self.init(.unreadable, "an answer \(text)")
        }
    }

    /// An answer that makes no sense.
    init(unreadable what: String, _ response: Response) {
        let start = SyncProblem.start(of: response).debugDescription
        self.init(.unreadable, "\(what), in an answer \(response.status) that begins with \(start)")
    }

    /// An hour, in seconds: whoever asks for more is asked again then.
    private static let longestRetryAfter: Int64 = 3_600
    /// Characters of a server's words that are told.
    private static let longestReason = 300

    /// How the body begins; of JSON nothing, since it may hold what opens an inbox.
    private static func start(of response: Response) -> String {
        let text = String(decoding: response.body.prefix(100), as: UTF8.self)
        return text.contains { "{[".contains($0) } ? "JSON" : text
    }

    /// What a problem document says, or how the body begins.
    private static func reason(_ response: Response) -> String {
        let body = response.body
        if let json = try? JSON.parse(body, duplicateNames: .lastWins) {
            for name in ["detail", "error", "title", "code"] {
                if case .string(let text) = json[name] { return String(text.prefix(longestReason)) }
            }
        }
        return start(of: response)
    }
}

extension StreamNews {
    /// What an answer means that is no stream; nothing if it is one.
    package init?(refusal response: Response) {
        guard response.status != 200 else { return nil }
        self =
            response.status == 401
            ? .ended(reason: "credentials", mayReturn: false)
            : .lost(retryAfter: SyncProblem(response).retryAfter)
    }
}

extension Response {
    /// The time that the server's `Date` field tells.
    package var serverTime: Instant? { headers["Date"].flatMap(httpDate) }
}

/// Reads the one form of a date that servers write: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
package func httpDate(_ text: String) -> Instant? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 6, words[5] == "GMT", words[1].count == 2, words[3].count == 4,
        let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let number = String(month + 101).dropFirst()
    return CalendarTime(text: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")?.instant
}
