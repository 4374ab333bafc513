/// The decoded segments of a path; `%2F` stays inside the segment in which it stands.
struct PathSegments {
    /// The segments' bytes without the slashes, and where each of them ends.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// Decodes a raw path; `nil` if it does not start with a slash, or if an escape is incomplete or stands for NUL,
    /// or if the bytes are no UTF-8.
    init?(_ path: String) {
        var rest = path.utf8[...]
        guard rest.popFirst() == UInt8(ascii: "/") else { return nil }
        bytes.reserveCapacity(rest.count)
        ends.reserveCapacity(8)
        var hasEscapes = false
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "/"):
                ends.append(bytes.count)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue),
                    let low = rest.popFirst().flatMap(hexValue), high | low != 0
                else { return nil }
                bytes.append(high << 4 | low)
                hasEscapes = true
            case 0:
                return nil
            default:
                bytes.append(byte)
            }
        }
        // A slash at the end makes no segment.
        if bytes.count > (ends.last ?? 0) { ends.append(bytes.count) }
        // Each segment for itself: two halves of a character may not meet across a slash.
        if hasEscapes, !(0..<count).allSatisfy({ isUTF8($0) }) { return nil }
    }

    var count: Int {
        ends.count
    }

    func isEmpty(_ index: Int) -> Bool {
        range(index).isEmpty
    }

    func equals(_ index: Int, _ literal: [UInt8]) -> Bool {
        let range = range(index)
        return range.count == literal.count && zip(range, literal).allSatisfy { bytes[$0] == $1 }
    }

    func text(_ index: Int) -> String {
        String(decoding: bytes[range(index)], as: UTF8.self)
    }

    private func isUTF8(_ index: Int) -> Bool {
        String(validating: bytes[range(index)], as: UTF8.self) != nil
    }

    private func range(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }
}
