package import InboxModel

/// Who sees messages that name a person in `extra`.
package enum FilterMode: Int16, Sendable, CaseIterable {
    /// Whoever holds them.
    case off = 0
    /// As clients decide.
    case client = 1
    /// That person alone; the server enforces it.
    case server = 2
}

/// What an app's administrators decide.
package struct AppSettings: Hashable, Sendable {
    package var deliveryMode: DeliveryMode
    package var identityMode: IdentityMode
    package var filterMode: FilterMode
    /// While the filter is on, messages that name nobody are shown too.
    package var filterUntargeted: Bool
    /// Newest deliveries that an inbox keeps, and newest broadcasts that the app keeps.
    package var inboxCap: Int
    /// Over how long clients spread their refresh after a broadcast.
    package var broadcastSpreadSeconds: Int
    /// Pages of these origins may read answers in a browser.
    package var corsOrigins: [Origin]

    package init(
        modes: (delivery: DeliveryMode, identity: IdentityMode), filter: (mode: FilterMode, untargeted: Bool),
        inboxCap: Int, broadcastSpreadSeconds: Int, corsOrigins: [Origin]
    ) {
        (deliveryMode, identityMode) = modes
        (filterMode, filterUntargeted) = filter
        self.inboxCap = inboxCap
        self.broadcastSpreadSeconds = broadcastSpreadSeconds
        self.corsOrigins = corsOrigins
    }

    /// What the cap may be: an inbox of more would make every list slow.
    package static let inboxCaps = 1...10_000
    /// What the spread may be: an hour late is no longer the same message.
    package static let broadcastSpreads = 0...3600
    /// Each is looked through for every request from a browser.
    package static let mostOrigins = 100
}

/// An app with its settings.
package struct AppProfile: Hashable, Sendable {
    package var key: AppKey
    package var name: String
    package var settings: AppSettings

    package init(key: AppKey, name: String, settings: AppSettings) {
        self.key = key
        self.name = name
        self.settings = settings
    }
}

/// What is to become of an app's settings; nil leaves one as it is.
package struct SettingsChange: Hashable, Sendable {
    package var deliveryMode: DeliveryMode?
    package var identityMode: IdentityMode?
    package var filterMode: FilterMode?
    package var filterUntargeted: Bool?
    package var inboxCap: Int?
    package var broadcastSpreadSeconds: Int?
    package var corsOrigins: [Origin]?

    package init() {}
}

extension DeliveryMode {
    /// The API's and the command line's word.
    package var word: String {
        switch self {
        case .person: "person"
        case .devices: "devices"
        }
    }
}

extension IdentityMode {
    /// The API's and the command line's word.
    package var word: String {
        switch self {
        case .verified: "verified"
        case .trusted: "trusted"
        }
    }
}

extension FilterMode {
    /// The API's and the command line's word.
    package var word: String {
        switch self {
        case .off: "off"
        case .client: "client"
        case .server: "server"
        }
    }
}
