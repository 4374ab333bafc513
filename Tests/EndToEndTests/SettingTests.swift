import HTTPCore
import InboxWire
import Testing

/// Settings of an app, from the command line and through the API.
@Suite struct SettingTests {
    @Test func `what is set from the command line is what the server says, at once, and audited`()
        async throws
    {
        try await withServer { installation, server, app in
            let set = try await installation.martlet(
                "app", "set", "Acme", "--cap", "9", "--filter", "server", "--filter-untargeted", "yes",
                "--cors-origin", "https://shop.example", "--broadcast-spread", "60", "--json")
            try #require(set.code == 0, "\(set.errors)")
            #expect(set["cap"] as? Int == 9 && set.text("filter") == "server")
            let shown = try await server.call(.get, "/v1/app", app.key, app.master)
            #expect(shown.json["inbox_cap"] == .number(JSONNumber(9)))
            #expect(shown.json["cors_origins"] == .array([.string("https://shop.example")]))
            let audit = try await server.call(.get, "/v1/audit", app.key, app.master)
            guard case .array(let entries)? = audit.json["entries"] else { return }
            #expect(entries.first?.text("actor") == "cli")
            #expect(entries.first?["detail"]?["filter_mode"] == .string("server"))
        }
    }

    @Test func `what was set through the API is what the command line shows`() async throws {
        try await withServer { installation, server, app in
            _ = try await server.call(
                .patch, "/v1/app", app.key, app.master, #"{"identity_mode":"trusted","inbox_cap":7}"#)
            let shown = try await installation.martlet("app", "show", "Acme", "--json")
            #expect(shown["cap"] as? Int == 7 && shown.text("identity") == "trusted")
            let text = try await installation.martlet("app", "show", "Acme")
            #expect(text.output.contains("cap                7"))
        }
    }

    @Test func `a setting that cannot be is refused, and nothing changes`() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet("migrate").code == 0)
            _ = try await installation.makeApp("Acme")
            let wrong = [
                (["--cap", "0"], "--cap"), (["--cap", "10001"], "--cap"), (["--filter", "on"], "--filter"),
                (["--broadcast-spread", "3601"], "--broadcast-spread"), ([], "name a setting"),
                (["--cors-origin", "*"], "--cors-origin *"),
                (["--cors-origin", "https://a.example", "--no-cors-origins"], "exclude each other"),
            ]
            for (options, text) in wrong {
                let outcome = try await Program.run(
                    "martlet", ["app", "set", "Acme"] + options, installation.environment)
                #expect(outcome.code == 2 && outcome.errors.contains(text), "\(options): \(outcome.errors)")
            }
            let unknown = try await installation.martlet("app", "set", "Acma", "--cap", "3")
            #expect(unknown.code == 1 && unknown.errors.contains("Acme"))
            let shown = try await installation.martlet("app", "show", "Acme", "--json")
            #expect(shown["cap"] as? Int == 250)
        }
    }

    @Test func `origins are replaced as a whole, and can be taken away`() async throws {
        try await Installation.with { installation in
            #expect(try await installation.martlet("migrate").code == 0)
            _ = try await installation.makeApp("Acme")
            for (options, origins) in [
                (["--cors-origin", "https://a.example", "--cors-origin", "https://b.example"], 2),
                (["--cors-origin", "https://c.example"], 1), (["--cap", "3"], 1), (["--no-cors-origins"], 0),
            ] {
                let outcome = try await Program.run(
                    "martlet", ["app", "set", "Acme", "--json"] + options, installation.environment)
                #expect((outcome["cors_origins"] as? [String])?.count == origins)
            }
        }
    }
}
