extension Call {
    /// All kinds of requests, made once: counts by kind are arrays in this order.
    static let all = allCases

    /// Where this kind stands among all.
    var position: Int {
        guard let position = Call.all.firstIndex(of: self) else { preconditionFailure("all are among all") }
        return position
    }
}
