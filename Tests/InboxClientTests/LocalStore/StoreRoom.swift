import Foundation
import InboxClient
import TestSupport

/// A folder with the file of one store.
struct StoreRoom {
    let folder: String

    init() throws {
        folder = try TestFolder.path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    var path: String { folder + "/inbox" }

    func store(_ options: SQLiteStoreOptions = SQLiteStoreOptions()) throws -> SQLiteStore {
        try SQLiteStore(path: path, options: options)
    }

    /// Runs statements on the file, behind the store's back.
    func run(_ script: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.script(script)
        connection.close()
    }

    /// Makes a file one of the first version.
    static let toFirstVersion = """
        ALTER TABLE state RENAME COLUMN revision TO writer;
        ALTER TABLE rows DROP COLUMN tie;
        ALTER TABLE views DROP COLUMN is_cut;
        ALTER TABLE marks DROP COLUMN reporting;
        PRAGMA user_version = 1
        """

    var bytes: Data {
        get throws { try Data(contentsOf: URL(fileURLWithPath: path)) }
    }

    /// Puts these bytes in the place of the file; what lies beside it goes.
    func write(_ bytes: Data) throws {
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// Names of all files, in order.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    /// A copy of database and log as they are on the disk now, in a folder of its own.
    func image() throws -> StoreRoom {
        let image = try StoreRoom()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: image.path + suffix)
        }
        return image
    }

    func remove() throws { try FileManager.default.removeItem(atPath: folder) }
}
