extension JSONParser {
    /// Reads a string from its opening quote on.
    mutating func string() throws(JSONSyntaxError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw error("the string is not valid UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                position += 1
                try appendEscape(to: &text)
            case 0..<0x20:
                throw error("a control character must be escaped in a string")
            default:
                appendRun(to: &text)
            }
        }
        throw error("the string does not end", at: start)
    }

    /// Reads a number; its grammar is that of RFC 8259, section 6.
    mutating func number() throws(JSONSyntaxError) -> JSONNumber {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        guard position - start <= JSONParser.maximumNumberBytes else {
            throw error("a number has more than \(JSONParser.maximumNumberBytes) characters", at: start)
        }
        return JSONNumber(text: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// More digits than any number has a meaning for; conversions of longer ones cost time.
    private static let maximumNumberBytes = 400

    /// Bytes up to the next quote, backslash or control character.
    private mutating func appendRun(to text: inout [UInt8]) {
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            position += 1
        }
        text += bytes[start..<position]
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw error("a digit is expected here") }
    }

    private mutating func appendEscape(to text: inout [UInt8]) throws(JSONSyntaxError) {
        guard let byte = next else { throw error("the text ends within an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(String(Character(try escapedScalar())).utf8)
        default: throw error("an unknown escape", at: position - 1)
        }
    }

    /// The scalar of one `\u` escape, or of two that are a surrogate pair.
    private mutating func escapedScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = position
        let unit = try fourHexDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        if unit < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let low = try fourHexDigits()
            if (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00)))
            {
                return scalar
            }
        }
        throw error("half of a surrogate pair", at: start)
    }

    private mutating func fourHexDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits are expected here")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
