/// A type of PostgreSQL that this target can read or write, by its fixed OID (`pg_type.dat`).
package struct PostgresType: Hashable, Sendable {
    /// The OID.
    package let oid: UInt32
    /// The name as `format_type` writes it.
    package let name: String
    /// The OID of an array of it; 0 for a type that stands in no array here.
    package let arrayOID: UInt32

    package static let bool = PostgresType(oid: 16, name: "boolean", arrayOID: 1000)
    package static let bytea = PostgresType(oid: 17, name: "bytea", arrayOID: 1001)
    package static let int2 = PostgresType(oid: 21, name: "smallint", arrayOID: 1005)
    package static let int4 = PostgresType(oid: 23, name: "integer", arrayOID: 1007)
    package static let int8 = PostgresType(oid: 20, name: "bigint", arrayOID: 1016)
    package static let double = PostgresType(oid: 701, name: "double precision", arrayOID: 1022)
    package static let text = PostgresType(oid: 25, name: "text", arrayOID: 1009)
    package static let timestamptz = PostgresType(
        oid: 1184, name: "timestamp with time zone", arrayOID: 1185)
    package static let uuid = PostgresType(oid: 2950, name: "uuid", arrayOID: 2951)

    /// The type of an array of this one.
    package var array: PostgresType {
        precondition(arrayOID != 0, "PostgreSQL has no arrays of arrays: flatten or encode them")
        return PostgresType(oid: arrayOID, name: name + "[]", arrayOID: 0)
    }

    /// Types whose binary form is plain text: `text`, `varchar`, `bpchar`, `name`, `json`, `unknown`.
    static func isText(_ oid: UInt32) -> Bool {
        switch oid {
        case 25, 1043, 1042, 19, 114, 705: true
        default: false
        }
    }

    package static func == (left: PostgresType, right: PostgresType) -> Bool {
        left.oid == right.oid
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(oid)
    }
}
