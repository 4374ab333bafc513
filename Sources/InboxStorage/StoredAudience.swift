import Foundation
import InboxModel
import InboxService

/// An audience as a column holds it while it waits.
enum StoredAudience {
    static func text(of audience: Audience) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(audience), as: UTF8.self)
    }

    /// - Throws: `StoreFault.broken` for a form that a newer version has stored.
    static func read(_ text: String) throws -> Audience {
        do {
            return try JSONDecoder().decode(Audience.self, from: Data(text.utf8))
        } catch is DecodingError {
            throw StoreFault.broken("an audience has an unknown form")
        }
    }
}
