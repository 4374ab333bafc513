import InboxModel

extension ViewState {
    /// The state as 64 bytes that are equal exactly when the views are (expiries aside): eight numbers, highest byte first.
    ///
    /// - Parameters:
    ///   - epoch: which database and which life of it the revisions belong to.
    ///   - rendering: stands for the renderer's version and the base URL.
    package func validator(epoch: UInt64, rendering: UInt64) -> [UInt8] {
        let numbers: [UInt64] = [
            epoch, rendering, bits(appRevision.rawValue), bits(settingsRevision.rawValue),
            bits(device.rawValue), bits(deviceRevision.rawValue),
            // Inboxes are numbered from one, so zero means nobody.
            bits(person?.rawValue ?? 0), bits(personRevision.rawValue),
        ]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for number in numbers {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return bytes
    }

    private func bits(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) }
}
