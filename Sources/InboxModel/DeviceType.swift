/// What kind of device a channel stands for.
package enum DeviceType: Int16, Sendable, CaseIterable {
    case ios = 1
    case android = 2
    case amazon = 4
    case web = 8
    case open = 16

    /// The wire's word.
    package init?(text: String) {
        guard let type = DeviceType.allCases.first(where: { $0.text == text }) else { return nil }
        self = type
    }

    /// The wire's word.
    package var text: String {
        switch self {
        case .ios: "ios"
        case .android: "android"
        case .amazon: "amazon"
        case .web: "web"
        case .open: "open"
        }
    }
}

/// The device types that may show a message, as a mask.
package struct DeviceTypes: OptionSet, Hashable, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) { self.rawValue = rawValue }

    package init(_ type: DeviceType) { self.init(rawValue: type.rawValue) }

    /// Every type, also one that is added later.
    package static let all = DeviceTypes(rawValue: Int16.max)
}
