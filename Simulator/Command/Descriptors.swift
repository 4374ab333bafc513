import Platform

/// Says at the beginning what would fail in the middle: sockets need descriptors.
///
/// - Parameters:
///   - sockets: at most open at once; some more are added for files, libraries and the event loop.
///   - advice: what to change of the command, behind "raise `ulimit -n`".
func requireDescriptors(_ sockets: Int, _ advice: String) throws(UsageError) {
    let limit = DescriptorLimit.raise()
    let needed = sockets + 64
    guard limit > 0, needed > limit else { return }
    throw UsageError(problems: [
        "this run needs \(needed) open files and the system allows \(limit): raise `ulimit -n`, \(advice)"
    ])
}
