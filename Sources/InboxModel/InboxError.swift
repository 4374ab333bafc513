/// A bound that a request broke: its public name and its value in the unit that the name says.
package struct Limit: Hashable, Sendable {
    package let name: String
    package let value: Int

    package init(_ name: String, _ value: Int) {
        self.name = name
        self.value = value
    }
}

/// A refusal that the caller can act on; everything else is a fault of ours.
package enum InboxError: Error, Hashable, Sendable {
    /// 400: `field` is a dotted path such as `message.title`.
    case invalid(field: String, reason: String, limit: Limit? = nil)
    /// 413: more bytes than the limit allows.
    case tooLarge(field: String, reason: String, limit: Limit)
    /// 401: missing, wrong or insufficient credentials; deliberately without a reason.
    case unauthorized
    /// 403: known, but not allowed.
    case forbidden(reason: String, limit: Limit? = nil)
    /// 404: unknown, gone, or another app's; `what` is a noun such as `message`.
    case notFound(what: String)
    /// 404: known, but over; for those who may know that it was there.
    case gone(reason: String)
    /// 409: contradicts what is stored.
    case conflict(reason: String)
    /// 406: the version of the server API that the caller accepts is not offered.
    case notAcceptable(reason: String)
}
