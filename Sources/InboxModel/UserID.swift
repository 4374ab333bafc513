/// The name of an installation's credential, from which its app is known without a look-up.
///
/// 22 characters of URL-safe base64, since clients put it into paths and Basic credentials as it stands:
/// four bytes of the app, eight random bytes that name the user within the app, four bytes that check the others.
package struct UserID: Hashable, Sendable {
    package let app: AppID
    package let key: Int64

    package init(app: AppID, key: Int64) {
        self.app = app
        self.key = key
    }

    /// Reads the wire's form; nothing if it was not minted here.
    package init?(text: ArraySlice<UInt8>) {
        guard text.count == Base64URL.textBytes, let (high, low) = Base64URL.halves(Array(text), at: 0) else {
            return nil
        }
        let app = AppID(rawValue: Int32(truncatingIfNeeded: high >> 32))
        let key = Int64(bitPattern: high << 32 | low >> 32)
        guard UInt32(truncatingIfNeeded: low) == UserID.check(app, key) else { return nil }
        self.init(app: app, key: key)
    }

    /// The wire's form.
    package var text: String {
        let key = UInt64(bitPattern: key)
        let high = UInt64(UInt32(bitPattern: app.rawValue)) << 32 | key >> 32
        let low = key << 32 | UInt64(UserID.check(app, self.key))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Base64URL.textBytes)
        Base64URL.append(high, low, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A mix of the other bits (the finisher of MurmurHash3): finds typing errors without a look-up, protects nothing.
    private static func check(_ app: AppID, _ key: Int64) -> UInt32 {
        var mix = UInt64(bitPattern: key) ^ UInt64(UInt32(bitPattern: app.rawValue)) &* 0x9E37_79B9_7F4A_7C15
        mix = (mix ^ mix >> 33) &* 0xFF51_AFD7_ED55_8CCD
        mix = (mix ^ mix >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return UInt32(truncatingIfNeeded: mix ^ mix >> 33)
    }
}
