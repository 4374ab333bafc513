package import InboxModel

/// An answer that is an error, as all surfaces tell it: the one place where failures get statuses and codes.
package struct WireError: Error, Hashable, Sendable {
    package var status: Int
    /// Two digits that are put behind the status in `error_code`.
    package var number: Int
    /// Stable word for programs.
    package var code: String
    /// What kind of failure it is, for people; the same for all of a code.
    package var title: String
    /// What was wrong this time.
    package var reason: String?
    /// Dotted path of what was wrong in the body.
    package var field: String?
    package var limit: Limit?
    /// After how many seconds it may be tried again, where that is known.
    package var retryAfter: Int?
    /// What the log has to say more is found under this id.
    package var reference: String?

    package init(
        _ status: Int, number: Int = 0, code: String, title: String, reason: String? = nil,
        reference: String? = nil
    ) {
        self.status = status
        self.number = number
        self.code = code
        self.title = title
        self.reason = reason
        self.reference = reference
    }

    package init(_ error: InboxError) {
        switch error {
        case .invalid(let field, let reason, let limit):
            self.init(400, code: "invalid", title: "Could not parse request body.", reason: reason)
            self.field = field.isEmpty ? nil : field
            self.limit = limit
        case .tooLarge(let field, let reason, let limit):
            self.init(413, code: "too_large", title: "More than the limit allows.", reason: reason)
            self.field = field.isEmpty ? nil : field
            self.limit = limit
        case .unauthorized:
            self.init(401, number: 1, code: "unauthorized", title: "Unauthorized")
        case .forbidden(let reason, let limit):
            self.init(403, number: 1, code: "forbidden", title: "Forbidden", reason: reason)
            self.limit = limit
        case .notFound(let what):
            self.init(
                404, number: 1, code: "not_found", title: "Entity not found", reason: "\(what) not found")
        case .gone(let reason):
            self.init(404, number: 1, code: "not_found", title: "Entity not found", reason: reason)
        case .conflict(let reason):
            self.init(409, number: 1, code: "conflict", title: "Conflict", reason: reason)
        case .notAcceptable(let reason):
            self.init(406, number: 1, code: "not_acceptable", title: "Not acceptable", reason: reason)
        }
    }

    // Failures that have nothing to do with what a body says.

    package static let unknownPath = WireError(404, code: "unknown_path", title: "No such path")

    package static func methodNotAllowed(allow: [String]) -> WireError {
        WireError(
            405, code: "method_not_allowed", title: "Method not allowed",
            reason: "use \(allow.joined(separator: ", "))")
    }

    /// Too many, too fast or at once.
    package static func rateLimited(_ reason: String, limit: Limit, retryAfter seconds: Int) -> WireError {
        var error = WireError(
            429, number: 1, code: "rate_limited", title: "Too many requests", reason: reason)
        error.limit = limit
        error.retryAfter = seconds
        return error
    }

    /// A path or header that is badly formed.
    package static func badRequest(_ reason: String) -> WireError {
        WireError(400, number: 1, code: "bad_request", title: "Bad request", reason: reason)
    }

    /// What the layer that reads requests refuses by itself, before there is a route.
    ///
    /// - Parameter bodyBytes: the limit of a request's body.
    package static func edge(_ status: Int, _ reason: String, bodyBytes: Int) -> WireError {
        switch status {
        case 408: WireError(408, code: "timeout", title: "Request timeout", reason: reason)
        case 413: tooLarge(reason, Limit("request_bytes", bodyBytes))
        case 501, 505: WireError(status, code: "not_implemented", title: "Not implemented", reason: reason)
        case 503: WireError(503, code: "unavailable", title: "Not available right now", reason: reason)
        case 500..<600: WireError(status, code: "internal", title: "Internal error", reason: reason)
        default: WireError(status, number: 1, code: "bad_request", title: "Bad request", reason: reason)
        }
    }

    private static func tooLarge(_ reason: String, _ limit: Limit) -> WireError {
        var error = WireError(413, code: "too_large", title: "More than the limit allows.", reason: reason)
        error.limit = limit
        return error
    }

    package static func unsupportedMediaType(_ reason: String) -> WireError {
        WireError(415, code: "unsupported_media_type", title: "Unsupported media type", reason: reason)
    }

    /// Nothing was done; the same request may succeed in a moment.
    package static func unavailable(reference: String) -> WireError {
        WireError(503, code: "unavailable", title: "Not available right now", reference: reference)
    }

    /// It may have been done.
    package static func outcomeUnknown(reference: String) -> WireError {
        WireError(
            503, number: 1, code: "outcome_unknown", title: "The outcome is not known",
            reason:
                "the request may have been carried out: repeat it, a send under the same Idempotency-Key; "
                + "look before you repeat a send that had none",
            reference: reference)
    }

    package static func internalFault(reference: String) -> WireError {
        WireError(500, code: "internal", title: "Internal error", reference: reference)
    }
}

extension WireError {
    /// Media type of `vendorBody`: without a charset, since a published client compares it as a whole.
    package static let vendorMediaType = "application/vnd.urbanairship+json; version=3"

    /// Media type of `problemBody` (RFC 9457).
    package static let problemMediaType = "application/problem+json"

    /// The body on the device and server API; `details` has nothing but `error` and `path`, more breaks a client.
    package func vendorBody(operationID: String?) -> [UInt8] {
        JSONWriter.bytes { writer in
            writer.object { body in
                body.member("ok", false)
                if let id = reference ?? operationID { body.member("operation_id", id) }
                body.member("error", title)
                body.member("error_code", status * 100 + number)
                guard let reason else { return }
                body.object("details") { details in
                    details.member("error", sentence(reason))
                    if let field { details.member("path", field) }
                }
            }
        }
    }

    /// The body on Martlet's own API.
    package func problemBody() -> [UInt8] {
        JSONWriter.bytes { writer in
            writer.object { body in
                body.member("type", "about:blank")
                body.member("title", code == "invalid" ? "Invalid request" : title)
                body.member("status", status)
                body.member("code", code)
                if let reason { body.member("detail", sentence(reason)) }
                if let field { body.member("field", field) }
                if let limit {
                    body.object("limit") { body in
                        body.member("name", limit.name)
                        body.member("value", limit.value)
                    }
                }
                if let reference { body.member("reference", reference) }
            }
        }
    }

    /// The reason with the limit it names.
    private func sentence(_ reason: String) -> String {
        guard let limit else { return reason }
        return "\(reason) (limit \(limit.name) is \(limit.value))"
    }
}
