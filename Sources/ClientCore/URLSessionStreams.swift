import Foundation
package import HTTPCore
import Platform

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers that stay open, over a `URLSession` of their own.
///
/// All streams share the session, which bounds silence and never the length of a stream.
package final class URLSessionStreams: StreamTransport {
    private let session: URLSession
    private let reader = StreamReader()

    /// - Parameter silence: after which a stream is ended, its head included.
    package init(silence: Duration = .seconds(60)) {
        let configuration = URLSessionConfiguration.forgetful
        configuration.timeoutIntervalForRequest = TimeInterval(silence.components.seconds)
        configuration.timeoutIntervalForResource = TimeInterval(Int32.max)
        // Each stream has a connection of its own; no stream waits for another.
        configuration.httpMaximumConnectionsPerHost = 1_000
        session = URLSession(configuration: configuration, delegate: reader, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    package func openStream(
        _ request: Request, to base: BaseURL, _ handle: @escaping @Sendable (StreamPart) -> Void
    ) -> any OpenStream {
        guard let outgoing = URLRequest(request, to: base) else {
            handle(.end)
            return ClosedStream()
        }
        let task = session.dataTask(with: outgoing)
        reader.begin(task, handle)
        task.resume()
        return SessionStream(task: task)
    }
}

/// A stream of a session.
private struct SessionStream: OpenStream {
    let task: URLSessionDataTask

    func cancel() { task.cancel() }
}

/// A stream that never was.
private struct ClosedStream: OpenStream {
    func cancel() {}
}

/// Hands over what comes of each task.
private final class StreamReader: NSObject, URLSessionDataDelegate {
    private let readings = Lock<[Int: Reading]>([:])

    private struct Reading {
        let handle: @Sendable (StreamPart) -> Void
        var hasHead = false
    }

    func begin(_ task: URLSessionTask, _ handle: @escaping @Sendable (StreamPart) -> Void) {
        readings.withLock { $0[task.taskIdentifier] = Reading(handle: handle) }
    }

    /// Foundation on Linux tells a 401 by its challenge, and then once more.
    private func tellHead(_ task: URLSessionTask, _ response: HTTPURLResponse) {
        let reading = readings.withLock { readings in
            let reading = readings[task.taskIdentifier]
            readings[task.taskIdentifier]?.hasHead = true
            return reading
        }
        guard let reading, !reading.hasHead else { return }
        reading.handle(.head(Response(response, body: Data())))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { tellHead(dataTask, response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        readings.withLock { $0[dataTask.taskIdentifier] }?.handle(.bytes(Array(data)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let reading = readings.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        reading?.handle(.end)
    }

    /// A redirect is an answer like any other, here as for requests.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        challenge.decline(completionHandler) { tellHead(task, $0) }
    }
}
