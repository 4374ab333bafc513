import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A session that keeps nothing of one request for another: no cookie, no cache, no credential.
    static var forgetful: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }
}

extension URLAuthenticationChallenge {
    /// Declines to show other credentials, and hands over the 401 that asked for them before the task goes on.
    ///
    /// A 401 is an answer, too; but Foundation on Linux either waits for other credentials or cancels the task.
    func decline(
        _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        refusal take: (HTTPURLResponse) -> Void
    ) {
        guard protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
            return completionHandler(.performDefaultHandling, nil)
        }
        if let response = failureResponse as? HTTPURLResponse { take(response) }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}
