import HTTPCore
import Testing

struct RouterTests {
    private let router: Router<String> = {
        var router = Router<String>()
        router.add(.get, "/", "root")
        router.add(.get, "/api/user/{user}/messages", "list")
        router.add(.post, "/api/user/{user}/messages/", "read")
        router.add(.get, "/api/user/me/messages", "mine")
        router.add(.get, "/api/user/me/{what}", "what")
        router.add(.delete, "/api/user/{user}/messages/{message}", "delete")
        return router
    }()

    private func route(_ method: Method, _ path: String) -> String {
        switch router.match(method, path: path) {
        case .route(let route, let parameters): ([route] + parameters).joined(separator: " ")
        case .notFound: "404"
        case .methodNotAllowed(let allow): "405 " + allow.map(\.rawValue).joined(separator: ",")
        case .badPath: "400"
        }
    }

    @Test(arguments: [
        (Method.get, "/", "root"),
        (.get, "/api/user/u1/messages", "list u1"), (.get, "/api/user/u1/messages/", "list u1"),
        (.post, "/api/user/u1/messages", "read u1"), (.head, "/api/user/u1/messages", "list u1"),
        (.delete, "/api/user/u1/messages/m1", "delete u1 m1"),
        (.get, "/api/user/me/messages", "mine"), (.get, "/api/user/me/x", "what x"),
        (.delete, "/api/user/me/messages/m1", "delete me m1"),
        (.get, "/api/us%65r/%41/messages", "list A"), (.get, "/api/user/a%2Fb/messages", "list a/b"),
        (.get, "/api/user/a+b%20c/messages", "list a+b c"), (.get, "/api/user/%C3%A9/messages", "list é"),
    ])
    func `a path leads to its route`(method: Method, path: String, expected: String) {
        #expect(route(method, path) == expected)
    }

    @Test(arguments: [
        "/api", "/api/user/", "/api/user//messages", "//", "/api/user/u1/messages//", "/API/user/u1/messages",
        "/api/user/u1%2Fmessages", "/api/user/u1/messages/m1/x",
    ])
    func `an unknown path is not found`(path: String) {
        #expect(route(.get, path) == "404")
    }

    @Test(arguments: [
        (Method.put, "/api/user/u1/messages", "405 GET,HEAD,POST,OPTIONS"),
        (.get, "/api/user/u1/messages/m1", "405 DELETE,OPTIONS"), (.options, "/", "405 GET,HEAD,OPTIONS"),
    ])
    func `a known path names the methods it has`(method: Method, path: String, expected: String) {
        #expect(route(method, path) == expected)
    }

    @Test(arguments: ["", "x", "*", "/%", "/%4", "/%zz", "/a%00b", "/%FF", "/%C3/%A9", "/unknown/%e2%82"])
    func `a path that cannot be decoded is bad, known or not`(path: String) {
        #expect(route(.get, path) == "400")
    }
}
