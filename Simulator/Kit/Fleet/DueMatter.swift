/// What a device of a fleet is to do at a time.
struct DueMatter: Sendable {
    let device: Int32
    let kind: Kind

    enum Kind: Hashable, Sendable {
        case arrive
        /// Its user takes it up.
        case use
        /// It is one of all that are taken up at once.
        case herd
        /// The network is there again.
        case reconnect
        /// Its core asked for it, and has not asked for another time since.
        case wake(UInt32)
    }
}
