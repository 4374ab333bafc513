import HTTPCore
import Platform
import SimulatorKit
import Testing

/// What a run says that cannot even begin.
struct FleetStartTests {
    private struct Answering: Transport {
        let response: Response?

        struct Refused: Error, CustomStringConvertible {
            let description = "connection refused"
        }

        func send(_ request: Request, to base: BaseURL) async throws -> Response {
            guard let response else { throw Refused() }
            return response
        }
    }

    @Test(
        arguments: [
            (nil, "the server cannot be reached: http://server.test: connection refused"),
            (401, "the server knows no app key with this master secret"),
            (404, "this is no Martlet, or one of another version: GET /v1/app answers 404"),
            (200, "this is no Martlet, or one of another version"),
            (503, "the server cannot be reached: http://server.test answers 503"),
        ] as [(Int?, String)])
    func `what stands in the way is told in a line`(status: Int?, words: String) throws {
        let loop = VirtualLoop()
        let ground = FleetGround(
            executor: loop, clock: loop, transport: Answering(response: status.map { Response(status: $0) }),
            bases: [BaseURL(host: "server.test", port: 80)])
        let options = FleetOptions(.commuter, devices: 2, duration: .seconds(1), seed: 1, run: "test")
        let run = FleetRun(
            options, apps: [AppKeys(key: "key", appSecret: "app", masterSecret: "master")], on: ground)
        let told = try loop.run { () async -> String in
            do {
                _ = try await run.run()
                return "nothing"
            } catch {
                return "\(error)"
            }
        }
        #expect(told.hasPrefix(words), "\(told)")
    }
}
