package import HTTPCore

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
    private let answers: AnswerReader

    /// Bytes of the largest body of an answer, as other transports have it: the largest inbox of 10,000 messages fits.
    package static let mostBodyBytes = 64 << 20

    /// `within` bounds a request as a whole, `bodyBytes` the body of its answer as it is after decompression.
    package init(within: Duration = .seconds(60), bodyBytes: Int = URLSessionTransport.mostBodyBytes) {
        answers = AnswerReader(bodyBytes: bodyBytes)
        let configuration = URLSessionConfiguration.forgetful
        configuration.timeoutIntervalForRequest = TimeInterval(within.components.seconds)
        configuration.timeoutIntervalForResource = TimeInterval(within.components.seconds)
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends the request and returns the answer, whatever its status.
    ///
    /// - Throws: `URLError`; `URLSessionTransportError.badAnswer` as soon as the answer is larger than the limit;
    ///   `CancellationError` as soon as the task is cancelled.
    package func send(_ request: Request, to base: BaseURL) async throws -> Response {
        guard let outgoing = URLRequest(request, to: base) else { throw URLError(.badURL) }
        let task = session.dataTask(with: outgoing)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answers.begin(task, continuation)
                // If it was cancelled before, nobody says so any more.
                guard !Task.isCancelled else { return answers.end(task, .failure(CancellationError())) }
                task.resume()
            }
        } onCancel: { [answers] in
            answers.end(task, .failure(CancellationError()))
        }
    }
}

/// Why an answer that came is not handed over.
package enum URLSessionTransportError: Error, Equatable {
    /// The answer is larger than the limit.
    case badAnswer
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
