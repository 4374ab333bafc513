import Foundation
import SimulatorKit

/// An app as `martlet app create --json` prints it: its key and secrets.
struct GroundApp: Sendable, Decodable {
    let key: String
    let appSecret: String
    let masterSecret: String

    private enum CodingKeys: String, CodingKey {
        case key = "app_key"
        case appSecret = "app_secret"
        case masterSecret = "master_secret"
    }

    /// How an app is set when it is made.
    struct Settings: Sendable {
        /// Who may say who is logged in on a device.
        enum Identity: String, Sendable {
            case verified, trusted
        }

        var delivery = Delivery.devices
        var identity = Identity.trusted
        var filter = AppChoice.Filter.off
    }
}
