/// Makes the body of an answer that the HTTP layer gives by itself, from its status and a sentence.
package typealias ErrorBody =
    @Sendable (_ status: Int, _ reason: String) -> (contentType: String, bytes: [UInt8])

/// A problem document.
///
/// The sentences are this layer's own, so nothing in them needs escaping.
package let problemBody: ErrorBody = { status, reason in
    let text = #"{"status":\#(status),"title":"\#(reasonPhrase(status))","detail":"\#(reason)"}"#
    return ("application/problem+json", Array(text.utf8))
}

/// What stands behind the status in the first line of an answer that evhttp does not write.
func reasonPhrase(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 408: "Request Timeout"
    case 413: "Content Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Error"
    }
}
