/// The secrets of an app.
package struct AppKeys: Hashable, Sendable {
    package let key: String
    package let appSecret: String
    package let masterSecret: String

    package init(key: String, appSecret: String, masterSecret: String) {
        self.key = key
        self.appSecret = appSecret
        self.masterSecret = masterSecret
    }
}
