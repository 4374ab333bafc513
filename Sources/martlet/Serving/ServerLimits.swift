import HTTPServer
import InboxHTTP
import InboxModel
import InboxService
import Postgres

/// Every bound of the server that an operator can change.
struct ServerLimits: Sendable {
    var messages = Limits()
    var http = HTTPLimits()
    var caches = CacheLimits()
    var rates = RateLimits()
    var retention = RetentionTimes()
    /// Requests of one connection to PostgreSQL that may be unanswered.
    var databaseWaiting = PipelineLimits.reads.waiting
    /// How long a request waits for PostgreSQL before it is answered 503.
    var databaseWaitWithin = PipelineLimits.reads.waitWithin

    /// What is kept before a request is looked at, for the API's description.
    var edge: [Limit] {
        (ServerLimits.ofRequests + ServerLimits.ofRates + ServerLimits.ofConnections).map { setting in
            let name = setting.name.split(separator: "-").joined(separator: "_")
            guard let value = Int(setting.show(self)) else { preconditionFailure("limits are numbers") }
            return Limit(name, value)
        }
    }

    /// How streams behave: a client that takes too little is let go by them, before its connection is reset.
    var streamPace: StreamPace {
        var pace = StreamPace()
        pace.waitingBytes = http.streamWaitingBytes
        return pace
    }

    /// The limits of a connection to PostgreSQL.
    func pipeline(_ limits: PipelineLimits) -> PipelineLimits {
        var limits = limits
        limits.waiting = databaseWaiting
        limits.waitWithin = databaseWaitWithin
        return limits
    }
}

/// A bound by its option `--limit-…`.
struct LimitSetting: Sendable {
    let option: Option
    /// Reads the option into the limits, if it is set.
    let read: @Sendable (inout Arguments, inout ServerLimits) -> Void
    /// The limit's value, in the option's unit.
    let show: @Sendable (ServerLimits) -> String

    /// The option's name without `limit-`.
    var name: String { String(option.name.dropFirst("limit-".count)) }

    /// A number, in the unit that the name ends with.
    static func count<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ path: any WritableKeyPath<ServerLimits, Number> & Sendable,
        _ range: ClosedRange<Number>,
        _ summary: String
    ) -> LimitSetting {
        let fallback = ServerLimits()[keyPath: path]
        let option = Option(
            "limit-\(name)", "N", "\(summary); \(range.lowerBound) to \(range.upperBound)",
            fallback: "\(fallback)",
            variable: variable(name))
        return LimitSetting(
            option: option,
            read: { arguments, limits in
                guard let value = arguments.value(option, Values.wholeNumber(range)) else { return }
                limits[keyPath: path] = value
            }, show: { "\($0[keyPath: path])" })
    }

    /// A time-out in seconds.
    static func time(
        _ name: String, _ path: any WritableKeyPath<ServerLimits, Duration> & Sendable,
        _ range: ClosedRange<Int64>,
        _ summary: String
    ) -> LimitSetting {
        let fallback = ServerLimits()[keyPath: path]
        let option = Option(
            "limit-\(name)", "SECONDS", "\(summary); \(range.lowerBound) to \(range.upperBound)",
            fallback: "\(fallback.components.seconds)", variable: variable(name))
        return LimitSetting(
            option: option,
            read: { arguments, limits in
                guard let value = arguments.value(option, Values.wholeNumber(range)) else { return }
                limits[keyPath: path] = .seconds(value)
            }, show: { "\($0[keyPath: path].components.seconds)" })
    }

    private static func variable(_ name: String) -> String {
        "MARTLET_LIMIT_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

extension ServerLimits {
    /// All of them, in the order of help.
    static let settings: [LimitSetting] =
        ofRequests + ofRates + ofProofs + ofMessages + ofAudiences + ofConnections + ofMemory + ofRetention

    private static let ofRequests: [LimitSetting] = [
        .count("request-bytes", \.http.bodyBytes, 1024...1 << 30, "bytes of a request's body"),
        .count(
            "unfinished-bytes", \.http.unfinishedBodyBytes, 1024...1 << 40,
            "bytes of bodies that are still arriving, in the process"),
        .count("head-bytes", \.http.headBytes, 1024...1 << 20, "bytes of a request's head"),
        .time("head-seconds", \.http.headWithin, 1...3600, "until a request's head is there"),
        .time("body-seconds", \.http.bodyWithin, 1...3600, "from then until its body is there"),
        .time("request-seconds", \.http.requestWithin, 1...3600, "from then until it is answered"),
        .time("answer-seconds", \.http.answerWithin, 1...3600, "for a client to take an answer"),
    ]

    private static let ofRates: [LimitSetting] = [
        .count(
            "requests-per-credential", \.rates.requestsPerCredential, 0...1_000_000,
            "requests a second of a device or session, 0 without limit"),
        .count(
            "credential-burst", \.rates.credentialBurst, 1...1_000_000,
            "requests at once of a device or session that was quiet"),
        .count(
            "requests-per-app", \.rates.requestsPerApp, 0...1_000_000,
            "requests a second of an app's backends together, 0 without limit"),
        .count(
            "failed-logins-per-address", \.rates.failedLoginsPerAddress, 0...1_000_000,
            "failed logins a minute from one address, 0 without limit"),
    ]

    private static let ofProofs: [LimitSetting] = [
        .count(
            "proof-bytes", \.messages.proofBytes, 256...65_536, "bytes of a token that proves who logs in"),
        .count(
            "proof-life-seconds", \.messages.proofLifeSeconds, 60...31_536_000,
            "longest time between its iat and exp"),
    ]

    private static let ofMessages: [LimitSetting] = [
        .count("message-body-bytes", \.messages.messageBodyBytes, 1...1 << 28, "bytes of a message's body"),
        .count("title-bytes", \.messages.titleBytes, 1...1 << 20, "bytes of a title"),
        .count("extra-keys", \.messages.extraKeys, 0...10_000, "keys of extra"),
        .count("extra-bytes", \.messages.extraBytes, 0...1 << 20, "bytes of extra, keys and values together"),
        .count("icon-bytes", \.messages.iconBytes, 0...1 << 16, "bytes of an icon's URL"),
        .count("content-type-bytes", \.messages.contentTypeBytes, 1...1 << 16, "bytes of a content type"),
        .count(
            "life-seconds", \.messages.lifeSeconds, 1...3_153_600_000, "longest life of a message, in seconds"
        ),
        .count(
            "tombstones-per-recall", \.messages.tombstonesPerRecall, 0...1_000_000,
            "recipients up to which a recall deletes one by one"),
    ]

    private static let ofAudiences: [LimitSetting] = [
        .count("pushes-per-request", \.messages.pushesPerRequest, 1...10_000, "pushes in a request"),
        .count(
            "recipients-in-request", \.messages.recipientsInRequest, 0...100_000,
            "recipients up to which a send is delivered before it is answered"),
        .count(
            "fan-out-chunk", \.messages.fanOutChunk, 1...10_000,
            "recipients of a larger one that are delivered at once"),
        .count("schedules-per-request", \.messages.schedulesPerRequest, 1...10_000, "schedules in a request"),
        .count(
            "schedules-per-app", \.messages.schedulesPerApp, 0...10_000_000, "schedules of an app that wait"),
        .count(
            "schedule-name-bytes", \.messages.scheduleNameBytes, 1...1 << 16, "bytes of a schedule's name"),
        .count("selectors-per-push", \.messages.selectorsPerPush, 1...1_000_000, "selectors in a push"),
        .count("audience-depth", \.messages.audienceDepth, 1...100, "audiences within audiences"),
        .count("ids-per-batch", \.messages.idsPerBatch, 1...1_000_000, "message ids in a batch"),
        .count("events-per-batch", \.messages.eventsPerBatch, 1...100_000, "events of a client in a batch"),
        .count(
            "export-bytes", \.messages.exportBytes, 0...1 << 30,
            "bytes of messages' bodies in a person's export"),
        .count(
            "export-rows", \.messages.exportRows, 1...1_000_000, "messages and the like in a person's export"),
        .count("tags-per-channel", \.messages.tagsPerChannel, 1...100_000, "tags of a channel"),
        .count("tag-scalars", \.messages.tagScalars, 1...1024, "characters of a tag"),
        .count(
            "tags-per-group-in-request", \.messages.tagsPerGroupInRequest, 1...100_000,
            "tags of a group in a request"),
        .count(
            "channels-per-named-user", \.messages.channelsPerNamedUser, 1...10_000, "channels of a named user"
        ),
        .count(
            "streams-per-credential", \.messages.streamsPerCredential, 0...10_000,
            "open streams of one credential in the process"),
    ]

    private static let ofConnections: [LimitSetting] = [
        .count("connections", \.http.connections, 1...1_000_000, "open connections of the process"),
        .count(
            "address-connections", \.http.connectionsPerAddress, 1...1_000_000,
            "open connections of one address"),
        .count(
            "streams", \.http.streams, 0...1_000_000,
            "open streams of the process, at most the descriptors less 1000"),
        .count(
            "stream-waiting-bytes", \.http.streamWaitingBytes, 1024...1 << 30,
            "bytes of a stream that its client has not taken"),
        .count("backlog", \.http.backlog, 1...65_535, "connections that wait to be accepted"),
        .time("idle-seconds", \.http.idle, 1...86_400, "a connection may be idle"),
        .count(
            "database-waiting", \.databaseWaiting, 1...1_000_000,
            "requests that wait for one connection to PostgreSQL"),
        .time("database-seconds", \.databaseWaitWithin, 1...60, "a request waits for PostgreSQL"),
    ]

    private static let ofMemory: [LimitSetting] = [
        .count(
            "fragment-cache-bytes", \.caches.fragmentBytes, 0...1 << 40, "rendered messages, for each loop"),
        .count("view-cache-bytes", \.caches.viewBytes, 0...1 << 40, "rendered lists, for each loop"),
        .count("body-cache-bytes", \.caches.bodyBytes, 0...1 << 40, "message bodies, for each loop"),
        .count("cached-apps", \.caches.apps, 1...1_000_000, "apps whose broadcasts are kept in memory"),
    ]

    private static let ofRetention: [LimitSetting] = [
        .count("expired-days", \.retention.expired, 30...36_500, "days that expired messages are kept"),
        .count(
            "uninstalled-days", \.retention.uninstalled, 30...36_500,
            "days that a channel is kept after it was uninstalled"),
        .count(
            "silent-days", \.retention.silent, 30...36_500,
            "days that a channel is kept after its last registration"),
        .count(
            "client-event-days", \.retention.clientEvents, 1...36_500,
            "days that what clients said of messages is kept"),
        .count("audit-days", \.retention.audit, 1...36_500, "days that the audit is kept"),
    ]
}
