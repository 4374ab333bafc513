package import ClientCore
import Foundation
package import HTTPCore
import InboxModel
package import Platform

/// What an inbox is put together of.
package struct InboxParts: Sendable {
    package let base: BaseURL
    package let wire: any Wire
    /// What opens event streams; without it there are none.
    package var streams: (any StreamTransport)?
    package let store: any LocalStore
    package var clock: any DeviceClock = SystemClock()
    /// Of the jitter of pauses.
    package var seed: UInt64
    package var makeInstallation: @Sendable () -> Installation = InboxParts.newInstallation
    /// How long the request for a body may take.
    package var bodyTime = Duration.seconds(60)
    /// Whether the inbox is switched on from the start.
    package var isEnabled = true
    /// Whether the interface can mark as unread.
    package var canMarkUnread = true

    package init(_ wire: any Wire, at base: BaseURL, store: any LocalStore, seed: UInt64) {
        self.wire = wire
        self.base = base
        self.store = store
        self.seed = seed
    }

    /// The parts that a configuration asks for.
    ///
    /// - Throws: `InboxClientError.badConfiguration`.
    package init(_ configuration: InboxConfiguration, store: any LocalStore) throws(InboxClientError) {
        let base = try configuration.base()
        var system = SystemRandomNumberGenerator()
        let limits = configuration.limits
        var end = WireEnd(
            AppCredential(key: configuration.appKey, secret: configuration.appSecret), at: base,
            over: URLSessionTransport(within: limits.requestTime))
        end.profile.deviceType = configuration.deviceType
        end.profile.tags = configuration.tags
        switch configuration.wireForm {
        case .martlet:
            self.init(MartletWire(end), at: base, store: store, seed: system.next())
            streams = URLSessionStreams()
        case .device:
            self.init(DeviceWire(end), at: base, store: store, seed: system.next())
            canMarkUnread = false
        }
        bodyTime = limits.bodyTime
        isEnabled = configuration.isEnabled
    }

    /// An installation that nobody else has: 128 random bits of the system for the channel, and as many for the secret.
    @Sendable package static func newInstallation() -> Installation {
        var system = SystemRandomNumberGenerator()
        let secret = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &system) }
        return Installation(channel: ChannelID(UUID()), secret: Base64URL.encode(secret))
    }
}

extension SyncOptions {
    /// The behaviour that a configuration asks for.
    package init(_ configuration: InboxConfiguration) {
        self.init()
        filter = configuration.filter
        keepsExpired = configuration.showsExpired
        mostMessages = configuration.limits.messages
        switch configuration.wireForm {
        case .martlet: break
        case .device:
            (asksForChanges, usesStream) = (false, false)
            (marksByReporting, knowsPlaces) = (true, false)
        }
    }
}
