import Foundation
import HTTPCore
import Platform

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gathers the answer to each task, whatever it is, up to a size; what is larger ends its task at once.
final class AnswerReader: NSObject, URLSessionDataDelegate {
    private let bodyBytes: Int
    private let readings = Lock<[Int: Reading]>([:])

    /// What has come for one who waits.
    private struct Reading {
        let continuation: CheckedContinuation<Response, any Error>
        var head: HTTPURLResponse?
        var body = Data()
    }

    init(bodyBytes: Int) { self.bodyBytes = bodyBytes }

    /// Waits for the answer to a task that was not yet resumed.
    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<Response, any Error>) {
        readings.withLock { $0[task.taskIdentifier] = Reading(continuation: continuation) }
    }

    /// Ends the wait, if it has not ended, and the task.
    func end(_ task: URLSessionTask, _ result: Result<Response, any Error>) {
        let reading = readings.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let reading else { return }
        reading.continuation.resume(with: result)
        task.cancel()
    }

    private func takeHead(_ task: URLSessionTask, _ head: HTTPURLResponse) {
        readings.withLock { $0[task.taskIdentifier]?.head = head }
    }

    // MARK: What Foundation says

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = response as? HTTPURLResponse { takeHead(dataTask, head) }
        if response.expectedContentLength > Int64(bodyBytes) {
            end(dataTask, .failure(URLSessionTransportError.badAnswer))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = readings.withLock { [bodyBytes] readings in
            readings[dataTask.taskIdentifier]?.body.append(data)
            return readings[dataTask.taskIdentifier].map { $0.body.count > bodyBytes } ?? false
        }
        if isTooLarge { end(dataTask, .failure(URLSessionTransportError.badAnswer)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let reading = readings.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let reading else { return }
        // A 401 is an answer although its task ends with an error; any other error is that of an answer cut short.
        guard let head = reading.head, error == nil || head.statusCode == 401 else {
            return reading.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        reading.continuation.resume(returning: Response(head, body: reading.body))
    }

    /// A redirected POST would arrive as a GET, so a redirect is an answer like any other.
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
        challenge.decline(completionHandler) { takeHead(task, $0) }
    }
}
