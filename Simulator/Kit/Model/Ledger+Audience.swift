extension Ledger {
    /// How many devices show an answered message, as far as that is known now.
    package func audienceCount(of number: Int) -> Int {
        switch messages[number].target {
        case .device(let device): isShown(number, on: device) ? 1 : 0
        case .person(let person): people[person].devices.count { isShown(number, on: $0) }
        case .tag, .everyone: devices.indices.count { isShown(number, on: $0) }
        }
    }

    func isShown(_ number: Int, on device: Int) -> Bool {
        sight(of: number, on: device, devices[device].person).exists.isCertain
    }
}
