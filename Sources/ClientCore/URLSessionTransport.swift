import Foundation
package import HTTPCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests over the system's `URLSession`: what apps and the command line use.
///
/// Follows no redirect, keeps no cookie and no cache: a caller gets the server's own answer.
package final class URLSessionTransport: Transport {
    private let session: URLSession
    private let delegate = NoRedirects()

    /// `within` bounds a request as a whole.
    package init(within: Duration = .seconds(60)) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(within.components.seconds)
        configuration.timeoutIntervalForResource = TimeInterval(within.components.seconds)
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    package func send(_ request: Request, to base: BaseURL) async throws -> Response {
        guard let url = URL(string: base.description + request.target) else { throw URLError(.badURL) }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method.rawValue
        for (name, value) in request.headers.all { outgoing.addValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { outgoing.httpBody = Data(request.body) }
        let (data, answer) = try await session.data(for: outgoing)
        guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        var headers = Headers()
        for case (let name as String, let value as String) in answer.allHeaderFields {
            headers.add(name, value)
        }
        return Response(status: answer.statusCode, headers: headers, body: Array(data))
    }
}

/// A redirected POST would arrive as a GET, so a redirect is an answer like any other.
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
