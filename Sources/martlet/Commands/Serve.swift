extension Command {
    /// `martlet serve`.
    static let serve = Command(
        "serve", "Run the server",
        details: """
            Without options the server keeps its data, with a PostgreSQL of its own, in ./.martlet. Any number of
            servers may share one --database. It is ready when `listening on …` stands on standard error. SIGTERM
            and SIGINT let requests in flight finish; a second signal ends it at once.
            """,
        takes: ([], ServeConfiguration.options),
        examples: [
            "martlet serve",
            "martlet serve --listen 0.0.0.0:8080 --public-url https://inbox.example.com",
            "martlet serve --database postgresql://martlet@db/martlet --secret-key-file /run/secrets/martlet",
        ]
    ) { arguments, console in
        let configuration = try ServeConfiguration(&arguments)
        try await Server.run(configuration, console)
    }
}
