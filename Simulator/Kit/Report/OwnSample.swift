/// What the simulator saw of itself since it last looked.
package struct OwnSample: Sendable {
    /// Devices that stand.
    package var devices: Int
    /// Connections to the server that are open.
    package var connected: Int
    /// Parts of one core since the last sample.
    package var cpuShare: Double
    /// By how much a timer of the loop was late.
    package var loopLag: Duration

    package init(devices: Int, connected: Int, cpuShare: Double, loopLag: Duration) {
        self.devices = devices
        self.connected = connected
        self.cpuShare = cpuShare
        self.loopLag = loopLag
    }
}
