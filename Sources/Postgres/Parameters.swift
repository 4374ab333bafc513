import CPostgres

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A statement's parameters as libpq takes them: arrays of pointers into one buffer.
struct ParameterPointers {
    let count: Int32
    let types: UnsafePointer<Oid>?
    let values: UnsafePointer<UnsafePointer<CChar>?>?
    let lengths: UnsafePointer<Int32>?
    /// All binary.
    let formats: UnsafePointer<Int32>?
}

extension SQL {
    /// PostgreSQL's protocol counts a statement's parameters in 16 bits.
    package static let parameterLimit = 65_535

    /// Calls `body` with pointers that are valid until it returns.
    func withParameters<Success>(_ body: (ParameterPointers) -> Success) -> Success {
        precondition(parameters.count <= Self.parameterLimit, "long lists go into arrays, not parameters")
        return values.withUnsafeBytes { buffer in
            // A value of no bytes still needs an address, or libpq takes it for NULL.
            let empty = UnsafeRawPointer(bitPattern: 1)
            let base = buffer.baseAddress ?? empty
            let pointers = parameters.map { parameter in
                parameter.length == nil
                    ? nil : base.map { ($0 + parameter.offset).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = parameters.map { Int32($0.length ?? 0) }
            let types = parameters.map { Oid($0.type.oid) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            return pointers.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    types.withUnsafeBufferPointer { types in
                        formats.withUnsafeBufferPointer { formats in
                            body(
                                ParameterPointers(
                                    count: Int32(parameters.count), types: types.baseAddress,
                                    values: values.baseAddress, lengths: lengths.baseAddress,
                                    formats: formats.baseAddress))
                        }
                    }
                }
            }
        }
    }
}

/// Calls `body` with two NULL-terminated arrays of C strings, as libpq takes keywords and values.
func withKeywords<Success>(
    _ options: [(keyword: String, value: String)],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> Success
) -> Success {
    let keywords = options.map { strdup($0.keyword) } + [nil]
    let values = options.map { strdup($0.value) } + [nil]
    defer { (keywords + values).forEach { free($0) } }
    return keywords.map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
        values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
            body(keywords.baseAddress, values.baseAddress)
        }
    }
}
