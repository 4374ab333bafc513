import Foundation
import InboxClient
import Testing

struct InboxConfigurationTests {
    private func configuration(_ server: String = "https://inbox.example.com/base") throws
        -> InboxConfiguration
    {
        InboxConfiguration(
            server: try #require(URL(string: server)), appKey: String(repeating: "k", count: 22),
            appSecret: String(repeating: "s", count: 22), folder: URL(filePath: "/tmp/inbox"))
    }

    @Test func `what is usual is right`() throws {
        #expect(try configuration().problems == [])
    }

    @Test(arguments: ["ftp://inbox.example.com", "https://a:b@inbox.example.com", "https://h/?a=b", "inbox"])
    func `an address that is none is refused`(server: String) async throws {
        let configuration = try configuration(server)
        #expect(configuration.problems.count == 1)
        await #expect(throws: InboxClientError.badConfiguration(configuration.problems)) {
            _ = try await Inbox(configuration)
        }
    }

    @Test func `all problems are told together, without a secret`() throws {
        var configuration = try configuration()
        configuration.appKey = "short"
        configuration.appSecret = String(repeating: "!", count: 22)
        configuration.deviceType = "toaster"
        configuration.tags = ["", "a"]
        configuration.limits.messages = 0
        configuration.limits.requestTime = .zero
        configuration.limits.bodyTime = .milliseconds(999)
        #expect(configuration.problems.count == 7)
        #expect(!configuration.problems.joined().contains("!!"))
        #expect("\(InboxClientError.badConfiguration(configuration.problems))".contains("22 characters"))
    }
}
