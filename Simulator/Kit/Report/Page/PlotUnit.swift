/// What the values of a plot are.
enum PlotUnit: Sendable {
    /// Microseconds.
    case time
    case perSecond
    case devices
    /// Parts of one.
    case share

    /// A value with its unit, as short as an axis needs.
    func words(_ value: Double) -> String {
        switch self {
        case .time: Words.duration(.microseconds(Int64(min(value, 1e15))))
        case .perSecond: "\(Words.rate(value))/s"
        case .devices: Words.number(Int(value.rounded()))
        case .share: "\(Words.decimal(value * 100, 2)) %"
        }
    }
}
