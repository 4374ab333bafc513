/// Who can keep an answer open and hand it over as it comes.
package protocol StreamTransport: Sendable {
    /// Sends the request and hands over its answer: one `.head`, then bytes, and at last `.end`; or `.end` at any point.
    ///
    /// `handle` is called by any thread, for one part after the other, and may be called before this returns.
    func openStream(
        _ request: Request, to base: BaseURL, _ handle: @escaping @Sendable (StreamPart) -> Void
    ) -> any OpenStream
}

/// A part of an answer that stays open.
package enum StreamPart: Sendable, Equatable {
    /// Status and fields; the body follows.
    case head(Response)
    case bytes([UInt8])
    /// There is no more, whatever the reason.
    case end
}

/// An answer that is being read.
package protocol OpenStream: Sendable {
    /// Closes it, from any thread; what is on its way may still be handed over.
    func cancel()
}
