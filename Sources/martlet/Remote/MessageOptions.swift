import Crypto
import Foundation
import InboxWire

/// A message, by options.
struct MessageOptions {
    static let options: [Option] = [.title, .body, .bodyFile, .contentType, .extra, .icon, .expiry]

    private let title: String
    private let body: Source
    private let contentType: String?
    private let extra: [JSONMember]
    private let icon: String?
    private let expiry: JSON?

    /// Whether an end was asked for.
    var hasExpiry: Bool { expiry != nil }

    /// Where a body comes from.
    private enum Source {
        case text(String)
        case file(String)
        case standardInput
    }

    /// The message's options; nothing after a problem.
    static func read(_ arguments: inout Arguments) -> MessageOptions? {
        let title = arguments.required(.title)
        let extra = arguments.values(.extra, readPair)
        guard let body = readSource(&arguments) else { return nil }
        return MessageOptions(
            title: title, body: body, contentType: arguments.text(.contentType), extra: extra,
            icon: arguments.text(.icon), expiry: arguments.value(.expiry, readExpiry))
    }

    /// The message as the server reads it; a body that is not UTF-8 travels as base64.
    ///
    /// - Throws: `CommandFailure.refused` if the body's file cannot be read.
    func json() throws(CommandFailure) -> JSON {
        let bytes = try bodyBytes()
        var members = [JSONMember("title", .string(title))]
        if let text = String(validating: bytes, as: UTF8.self) {
            members.append(JSONMember("body", .string(text)))
        } else {
            members.append(JSONMember("body", .string(Base64.encode(bytes))))
            members.append(JSONMember("content_encoding", .string("base64")))
        }
        if let contentType { members.append(JSONMember("content_type", .string(contentType))) }
        if !extra.isEmpty { members.append(JSONMember("extra", .object(extra))) }
        if let icon { members.append(JSONMember("icons", .object(["list_icon": .string(icon)]))) }
        if let expiry { members.append(JSONMember("expiry", expiry)) }
        return .object(members)
    }

    private func bodyBytes() throws(CommandFailure) -> [UInt8] {
        do {
            switch body {
            case .text(let text): return Array(text.utf8)
            case .standardInput: return Array(try FileHandle.standardInput.readToEnd() ?? Data())
            case .file(let path): return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            }
        } catch {
            throw .refused("the body cannot be read: \(error.localizedDescription)")
        }
    }

    private static func readSource(_ arguments: inout Arguments) -> Source? {
        switch (arguments.text(.body), arguments.text(.bodyFile)) {
        case (nil, nil):
            arguments.report("--body or --body-file is missing: what the message says")
            return nil
        case (.some, .some):
            arguments.report("--body and --body-file exclude each other")
            return nil
        case ("-", nil), (nil, "-"): return .standardInput
        case (let text?, nil): return .text(text)
        case (nil, let path?): return .file(path)
        }
    }

    private static func readPair(_ text: String) throws(Unreadable) -> JSONMember {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw Unreadable("must be KEY=VALUE")
        }
        return JSONMember(String(text[..<equals]), .string(String(text[text.index(after: equals)...])))
    }

    /// Seconds, a duration or a time; the server judges the time.
    private static func readExpiry(_ text: String) throws(Unreadable) -> JSON {
        if let seconds = Int64(text) { return .int(seconds) }
        if text.contains("-") { return .string(text) }
        do {
            return .int(try Values.duration(text).components.seconds)
        } catch {
            throw Unreadable(
                "must be seconds from now, a duration such as 7d, or a time such as 2031-05-06T07:08:09")
        }
    }
}

extension Option {
    fileprivate static let title = Option("title", "TEXT", "what the list shows")
    fileprivate static let body = Option("body", "HTML", "what the message says; - reads standard input")
    fileprivate static let bodyFile = Option(
        "body-file", "FILE", "a file that holds the body; - reads standard input")
    fileprivate static let contentType = Option("content-type", "TYPE", "of the body", fallback: "text/html")
    fileprivate static let extra = Option("extra", "KEY=VALUE", "text for the app to read", also: [.repeated])
    fileprivate static let icon = Option("icon", "URL", "picture for the list")
    fileprivate static let expiry = Option(
        "expiry", "WHEN", "when it leaves every inbox: seconds from now, 7d, or a time in UTC",
        fallback: "a year")
}
