/// An HTTP response with its whole body, or with a stream that sends it.
package struct Response: Sendable, Equatable {
    package var status: Int
    /// Fields as they are to be spelled.
    ///
    /// `Content-Length`, `Transfer-Encoding` and `Connection` are the server's: it
    /// leaves out what stands here.
    package var headers: Headers
    /// Sent with its length; not sent to a `HEAD` request and with 204 and 304.
    package var body: [UInt8]
    /// Sends the body in place of `body`, which is empty then.
    package var stream: ResponseStream?

    package init(
        status: Int, headers: Headers = Headers(), body: [UInt8] = [], stream: ResponseStream? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.stream = stream
    }
}
