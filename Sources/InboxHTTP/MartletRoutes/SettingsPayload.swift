import InboxModel
import InboxService
import InboxWire

/// A setting that is one of a few words.
protocol SettingWord: CaseIterable {
    var word: String { get }
}

extension DeliveryMode: SettingWord {}
extension IdentityMode: SettingWord {}
extension FilterMode: SettingWord {}

extension SettingsChange {
    /// Reads the body of a change.
    ///
    /// - Throws: `InboxError.invalid`, also for settings that are unknown or cannot be changed.
    init(_ body: [UInt8]) throws(InboxError) {
        let root = try JSONField(body: body)
        try root.allowOnly([
            "delivery_mode", "identity_mode", "filter_mode", "filter_untargeted", "inbox_cap",
            "broadcast_spread_seconds", "cors_origins",
        ])
        self.init()
        deliveryMode = try root.member("delivery_mode")?.word()
        identityMode = try root.member("identity_mode")?.word()
        filterMode = try root.member("filter_mode")?.word()
        filterUntargeted = try root.member("filter_untargeted")?.bool()
        inboxCap = try root.member("inbox_cap")?.integer(AppSettings.inboxCaps, "inbox_cap")
        broadcastSpreadSeconds = try root.member("broadcast_spread_seconds")?
            .integer(AppSettings.broadcastSpreads, "broadcast_spread_seconds")
        corsOrigins = try root.member("cors_origins")?.origins()
    }
}

extension JSONField {
    /// One of a setting's words.
    fileprivate func word<Setting: SettingWord>() throws(InboxError) -> Setting {
        let text = try string()
        guard let setting = Setting.allCases.first(where: { $0.word == text }) else {
            throw invalid("must be \(Setting.allCases.map { "'\($0.word)'" }.joined(separator: " or "))")
        }
        return setting
    }

    /// A number in a range; beyond its end it breaks the limit of that name.
    fileprivate func integer(_ range: ClosedRange<Int>, _ name: String) throws(InboxError) -> Int {
        let number = try integer()
        guard number >= range.lowerBound, number <= range.upperBound else {
            throw invalid(
                "must be a number from \(range.lowerBound) to \(range.upperBound)",
                limit: number > range.upperBound ? Limit(name, range.upperBound) : nil)
        }
        return Int(number)
    }

    /// Origins, each once.
    fileprivate func origins() throws(InboxError) -> [Origin] {
        var origins: [Origin] = []
        for element in try elements() {
            let origin = try Origin(try element.string(), field: element.path)
            if !origins.contains(origin) { origins.append(origin) }
            guard origins.count <= AppSettings.mostOrigins else {
                throw invalid(
                    "has more than \(AppSettings.mostOrigins) origins",
                    limit: Limit("cors_origins", AppSettings.mostOrigins))
            }
        }
        return origins
    }
}
