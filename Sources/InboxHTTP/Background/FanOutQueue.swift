import InboxModel
import InboxService

/// Whose turn it is: app after app, and within an app one fan-out after another, so that a large one keeps no small
/// one waiting.
struct FanOutQueue {
    /// The next one first.
    private var apps: [AppID] = []
    private var byApp: [AppID: [FanOutID]] = [:]

    var isEmpty: Bool { apps.isEmpty }

    /// All, in no order.
    var all: [FanOutID] { byApp.values.flatMap { $0 } }

    /// Takes in what was found, and lets go of what was not; those that stay keep their turns.
    mutating func update(_ found: [FanOutID]) {
        let wanted = Set(found)
        for id in all where !wanted.contains(id) { remove(id) }
        let known = Set(all)
        for id in found where !known.contains(id) {
            if byApp[id.app] == nil { apps.append(id.app) }
            byApp[id.app, default: []].append(id)
        }
    }

    /// The one whose turn it is; then it is the others' first.
    mutating func next() -> FanOutID? {
        guard let app = apps.first, let id = byApp[app]?.first else { return nil }
        apps.append(apps.removeFirst())
        byApp[app]?.append(id)
        byApp[app]?.removeFirst()
        return id
    }

    mutating func remove(_ id: FanOutID) {
        byApp[id.app]?.removeAll { $0 == id }
        guard byApp[id.app]?.isEmpty == true else { return }
        byApp[id.app] = nil
        apps.removeAll { $0 == id.app }
    }
}
