extension Schema {
    /// Every error of Martlet's own API (RFC 9457).
    static let problem = Schema.named(
        "Problem",
        .object([
            .member("type", .string),
            .member("title", .string, "What kind of failure it is, for people."),
            .member("status", .integer(400...599)),
            .member("code", .string, "A stable word for programs, such as `invalid` or `rate_limited`."),
            .optional("detail", .string, "What was wrong this time."),
            .optional("field", .string, "The place in the body, or the parameter, such as `message.title`."),
            .optional(
                "limit", .object([.member("name", .string), .member("value", .count)]),
                "The bound that the request broke."),
            .optional("reference", .string, "Under this id the server's log says more."),
        ]))
}
