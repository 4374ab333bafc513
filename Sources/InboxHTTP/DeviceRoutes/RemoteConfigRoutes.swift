import Crypto
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Platform

extension Shard {
    /// How a stock SDK is pointed here.
    static func remoteConfigRoutes(into router: inout Router<Route>) {
        router.add(
            .get, "/api/remote-data/app/{app}/{platform}",
            Route(.device) { shard, call in try await shard.remoteConfig(call) })
    }

    /// The configuration of an app's SDKs: where everything is, and what is off.
    ///
    /// Nothing in it is secret, so a caller without credentials is served; with wrong ones it is 401.
    private func remoteConfig(_ call: Call) async throws -> Response {
        guard let key = AppKey(text: call.parameters[0]),
            ["ios", "android", "amazon"].contains(call.parameters[1])
        else { throw InboxError.notFound(what: "app") }
        if call.request.headers["authorization"] != nil {
            guard try await deviceApp(call).key == key else { throw InboxError.unauthorized }
        } else if try await store.app(key) == nil {
            throw InboxError.notFound(what: "app")
        }
        let config = RemoteConfig(base: call.base)
        if call.request.headers["if-modified-since"].flatMap(HTTPDate.parse) == config.date {
            return Response(status: 304)
        }
        let headers: Headers = [
            "Content-Type": "application/json", "Last-Modified": HTTPDate.text(config.date),
        ]
        return Response(status: 200, headers: headers, body: config.body)
    }
}

/// The remote data of one base URL, the same on every instance.
private struct RemoteConfig {
    /// What `Last-Modified` says, in seconds since 1970.
    let date: Int64
    let body: [UInt8]

    init(base: String) {
        // A date that goes with the content and not with a clock: instances agree on it, and it differs when the
        // content does. In the past, as such dates must be.
        let hash = SHA256.digest(RemoteConfig.body(base, timestamp: "")).prefix(4).reduce(Int64(0)) {
            $0 << 8 | Int64($1)
        }
        date = 1_000_000_000 + hash % 700_000_000
        body = RemoteConfig.body(base, timestamp: Instant(seconds: date).secondsText)
    }

    private static func body(_ base: String, timestamp: String) -> [UInt8] {
        JSONWriter.bytes { writer in
            writer.object { body in
                body.member("ok", true)
                body.array("payloads") { payloads in
                    payloads.object { payload in
                        payload.member("type", "app_config")
                        payload.member("timestamp", timestamp)
                        payload.object("data") { writeData(base, &$0) }
                    }
                }
            }
        }
    }

    private static func writeData(_ base: String, _ data: inout JSONWriter) {
        data.object("airship_config") { urls in
            // Without a slash at the end: SDKs paste their paths behind it.
            for name in [
                "device_api_url", "remote_data_url", "analytics_url", "wallet_url", "metered_usage_url",
            ] {
                urls.member(name, base)
            }
        }
        data.member("fetch_contact_remote_data", false)
        data.object("contact_config") { contacts in
            contacts.member("foreground_resolve_interval_ms", 3_600_000)
            contacts.member("max_cra_resolve_age_ms", 600_000)
        }
        data.object("metered_usage") { $0.member("enabled", false) }
        data.member("remote_data_refresh_interval", 600_000)
    }
}
