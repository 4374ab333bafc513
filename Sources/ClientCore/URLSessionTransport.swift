package import HTTPCore
import Platform

#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// Requests over the system's `URLSession`: what apps and the command line use.
///
/// Follows no redirect, keeps no cookie and no cache: a caller gets the server's own answer.
package final class URLSessionTransport: Transport {
    private let session: URLSession
    private let answers = OwnAnswers()

    /// `within` bounds a request as a whole.
    package init(within: Duration = .seconds(60)) {
        let configuration = URLSessionConfiguration.forgetful
        configuration.timeoutIntervalForRequest = TimeInterval(within.components.seconds)
        configuration.timeoutIntervalForResource = TimeInterval(within.components.seconds)
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    package func send(_ request: Request, to base: BaseURL) async throws -> Response {
        guard let outgoing = URLRequest(request, to: base) else { throw URLError(.badURL) }
        return try await withCheckedThrowingContinuation { continuation in
            let task = Lock<URLSessionTask?>(nil)
            let running = session.dataTask(with: outgoing) { [answers] data, answer, error in
                let refusal = task.withLock { $0 }.flatMap(answers.takeRefusal)
                guard let answer = answer as? HTTPURLResponse ?? refusal else {
                    return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
                continuation.resume(returning: Response(answer, body: data ?? Data()))
            }
            task.withLock { $0 = running }
            running.resume()
        }
    }
}

extension URLRequest {
    /// The same request for Foundation; nothing if its target makes no URL.
    package init?(_ request: Request, to base: BaseURL) {
        guard let url = URL(string: base.description + request.target) else { return nil }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for (name, value) in request.headers.all { addValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { httpBody = Data(request.body) }
    }
}

extension Response {
    /// What Foundation was answered.
    init(_ answer: HTTPURLResponse, body: Data) {
        var headers = Headers()
        for case (let name as String, let value as String) in answer.allHeaderFields {
            headers.add(name, value)
        }
        self.init(status: answer.statusCode, headers: headers, body: Array(body))
    }
}

/// Takes every answer as it is.
private final class OwnAnswers: NSObject, URLSessionTaskDelegate {
    /// Answers 401 by task, without their bodies.
    private let refusals = Lock<[Int: HTTPURLResponse]>([:])

    /// The 401 with which a task ended, if it did.
    func takeRefusal(of task: URLSessionTask) -> HTTPURLResponse? {
        refusals.withLock { $0.removeValue(forKey: task.taskIdentifier) }
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
        challenge.decline(completionHandler) { response in
            refusals.withLock { $0[task.taskIdentifier] = response }
        }
    }
}
