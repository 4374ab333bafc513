import InboxWire

extension JSONWriter {
    /// A schema in JSON Schema 2020-12, what OpenAPI 3.1 speaks; named ones by their place in the components.
    mutating func value(_ schema: Schema) { object { $0.members(of: schema) } }

    /// The members of a schema's object, so that others can stand beside them.
    fileprivate mutating func members(of schema: Schema) {
        switch schema {
        case .anything: break
        case .object(let members, let isClosed): object(members, isClosed: isClosed)
        case .map(let element, let atMost): map(element, atMost)
        case .array(let element, let atLeast, let atMost): array(element, atLeast, atMost)
        case .text, .integer, .number, .boolean, .null, .words, .always: simple(schema, orNull: false)
        case .oneOf(let schemas): choice("oneOf", schemas)
        case .nullable(let schema): nullable(schema)
        case .named(let name, _), .reference(let name): member("$ref", "#/components/schemas/\(name)")
        }
    }

    private mutating func object(_ members: [SchemaMember], isClosed: Bool) {
        member("type", "object")
        object("properties") { body in
            for member in members {
                body.object(member.name) { body in
                    body.members(of: member.schema)
                    if let meaning = member.meaning { body.member("description", meaning) }
                }
            }
        }
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { member("required", required) }
        if isClosed { member("additionalProperties", false) }
    }

    private mutating func map(_ element: Schema, _ atMost: Int?) {
        member("type", "object")
        name("additionalProperties")
        value(element)
        bound("maxProperties", atMost.map(Int64.init))
    }

    private mutating func array(_ element: Schema, _ atLeast: Int?, _ atMost: Int?) {
        member("type", "array")
        name("items")
        value(element)
        bound("minItems", atLeast.map(Int64.init))
        bound("maxItems", atMost.map(Int64.init))
    }

    private mutating func choice(_ word: String, _ schemas: [Schema]) {
        array(word) { list in for schema in schemas { list.value(schema) } }
    }

    private mutating func nullable(_ schema: Schema) {
        switch schema {
        case .text, .integer, .number, .boolean: simple(schema, orNull: true)
        case .anything, .object, .array, .null, .words, .always, .map, .oneOf, .nullable, .named, .reference:
            choice("anyOf", [schema, .null])
        }
    }

    /// A value without parts.
    private mutating func simple(_ schema: Schema, orNull: Bool) {
        let type = schema.type
        if orNull { member("type", [type, "null"]) } else { member("type", type) }
        switch schema {
        case .text(let rule):
            if let format = rule.format { member("format", format) }
            if let pattern = rule.pattern { member("pattern", pattern) }
            bound("minLength", rule.atLeast.map(Int64.init))
            bound("maxLength", rule.atMost.map(Int64.init))
        case .integer(let atLeast, let atMost):
            bound("minimum", atLeast)
            bound("maximum", atMost)
        case .words(let words): member("enum", words)
        case .always(let truth): member("const", truth)
        case .number, .boolean, .null: break
        case .anything, .object, .array, .map, .oneOf, .nullable, .named, .reference: break
        }
    }

    private mutating func bound(_ name: String, _ number: Int64?) {
        guard let number else { return }
        self.name(name)
        value(number)
    }
}

extension Schema {
    /// JSON Schema's word for a value without parts.
    fileprivate var type: String {
        switch self {
        case .text, .words: "string"
        case .integer: "integer"
        case .number: "number"
        case .boolean, .always: "boolean"
        case .null: "null"
        case .object, .map: "object"
        case .array: "array"
        case .anything, .oneOf, .nullable, .named, .reference: preconditionFailure("has no one type")
        }
    }

    /// Adds the named schemas within this one, itself included, in the order in which they are met.
    func collect(into components: inout [(name: String, schema: Schema)]) {
        switch self {
        case .named(let name, let schema):
            if let known = components.first(where: { $0.name == name }) {
                precondition(known.schema == schema, "two schemas are named \(name)")
                return
            }
            components.append((name, schema))
            schema.collect(into: &components)
        case .object(let members, _): for member in members { member.schema.collect(into: &components) }
        case .array(let element, _, _), .map(let element, _), .nullable(let element):
            element.collect(into: &components)
        case .oneOf(let schemas): for schema in schemas { schema.collect(into: &components) }
        case .anything, .text, .integer, .number, .boolean, .null, .words, .always, .reference: break
        }
    }
}
