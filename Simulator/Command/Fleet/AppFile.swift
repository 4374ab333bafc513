import Foundation
import SimulatorKit

/// A file with the secrets of apps, as `martlet app create --json` prints them: one object, several, or an array.
enum AppFile {
    static func read(_ path: String) throws(UsageError) -> [AppKeys] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw UsageError(problems: ["--apps \(path) cannot be read: \(reason(of: error))"])
        }
        let decoder = JSONDecoder()
        if let apps = try? decoder.decode([GroundApp].self, from: data), !apps.isEmpty {
            return apps.map(keys)
        }
        let lines = data.split(separator: UInt8(ascii: "\n")).filter {
            !$0.allSatisfy { $0 == 32 || $0 == 13 }
        }
        let apps = lines.compactMap { try? decoder.decode(GroundApp.self, from: Data($0)) }
        guard !apps.isEmpty, apps.count == lines.count else {
            throw UsageError(problems: [
                "--apps \(path) must hold what `martlet app create NAME --json` prints: an object on each line"
            ])
        }
        return apps.map(keys)
    }

    private static func keys(_ app: GroundApp) -> AppKeys {
        AppKeys(key: app.key, appSecret: app.appSecret, masterSecret: app.masterSecret)
    }
}
