/// What `--help` prints.
enum Help {
    static let overview = """
        simulator: many devices against a Martlet server, and whether every inbox was right

          simulator load    register devices, let them refresh, read and delete while messages are
                            sent, and compare every inbox with what it must hold

          simulator check   play many short histories by chance, and hold every answer against
                            the rules; or worlds with the client library and no server at all

        `simulator load --help` and `simulator check --help` say more.
        """

    static let check = """
        usage: simulator check --model --server URL --server URL --backstage URL [options]
               simulator check --simulated [options]                      (told at the end)

        Plays histories by chance: devices register, people log in and out, messages are sent, read,
        deleted, taken back and expire, at one of two servers over one database. Each answer is held
        against a model of the rules. Of the first history in which one is wrong, the shortest part
        that goes wrong too is told, step by step.

        `scripts/simulate --model` starts all that this needs: the servers, their PostgreSQL with a
        clock that can be set, and the backstage, which sets it and makes apps.

          --server URL            address of a server; given twice
          --backstage URL         where the clock is set and apps are made
          --histories N           histories to play (1000)
          --seed X                of the first history; each further one has the next (random)
          --quiet                 no progress

        Exit status: 0 every answer was right, 1 one was not or a server was away, 2 the command line
        is wrong.

        examples:
          simulator check --model --server http://127.0.0.1:8080 --server http://127.0.0.1:8081 \\
              --backstage http://127.0.0.1:8090 --histories 5000

        \(simulated)
        """

    static let load = """
        usage: simulator load --server URL --app-key K --app-secret A --master-secret S
                              --devices N --duration SECONDS [options]

        Registers devices as a stock library does, logs them in and out as people, lets them refresh,
        open, read and delete, while a backend sends to channels, people, tags and everyone and takes
        some back. Every list is checked while the load runs, and every inbox once more at its end.
        Server and PostgreSQL may be restarted meanwhile: what was answered must survive.

        Use an app of its own: whatever else is sent to it is reported as foreign.

          --server URL            address of the server                    MARTLET_SERVER
          --app-key K             the app's key                            MARTLET_APP_KEY
          --app-secret A          what devices sign with                   MARTLET_APP_SECRET
          --master-secret S       what the backend proves itself with      MARTLET_MASTER_SECRET
          --devices N             devices, 1 to 100000
          --duration SECONDS      of the load, after most devices have registered
          --people P              people who log in on them (half the devices; at least a 40th)
          --rate R                messages a second (a 20th of the devices, 5 to 200)
          --refresh SECONDS       mean pause of a device between two syncs (500 syncs a second in all,
                                  a second at least)
          --connections C         kept connections to the server, 1 to 16000 (256)
          --delivery MODE         where messages to people are kept: devices, person or auto (auto)
          --ride-out SECONDS      how long the server may be away (30)
          --seed X                repeats what devices and backend choose (random)
          --json                  the report as one JSON object on standard output
          --quiet                 no progress

        Exit status: 0 every inbox was right, 1 one was not, or the server refused or stayed away,
        2 the command line is wrong.

        examples:
          simulator load --server http://127.0.0.1:8080 --devices 500 --duration 30
          simulator load --devices 10000 --duration 120 --connections 2000 --json > report.json
        """
}
