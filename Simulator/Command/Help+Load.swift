extension Help {
    /// What `simulator load --help` prints.
    static let load = """
        usage: simulator load --server URL --app-key K --app-secret A --master-secret S [options]
               simulator load --server URL --apps FILE [options]

        Registers devices that carry the client library. They refresh, stream, read, delete, open
        messages, log in and out, lose the network and come back, as a profile says, while backends send.
        What is due is due, however slow the server is. Every answer is checked, and every inbox once
        more at the end. Server and PostgreSQL may be restarted meanwhile: what was answered must survive.

        Use apps of their own: whatever else is sent to them is reported as sent by nobody.

          --server URL            address of a server; of several instances each one     MARTLET_SERVER
          --app-key K             the app's key                                          MARTLET_APP_KEY
          --app-secret A          what installations register with                       MARTLET_APP_SECRET
          --master-secret S       what the backend proves itself with                    MARTLET_MASTER_SECRET
          --apps FILE             several apps: what `martlet app create NAME --json` prints, a line each
          --profile NAME          commuter, herd, shared-phone, campaign, idle-stream, or a JSON file
                                  (commuter)
          --devices N             devices, 1 to 100000 (100)
          --duration SECONDS      of the load, after the devices of the beginning stand (30)
          --ramp SECONDS          over which those arrive (500 a second, a second at least)
          --people P              people who log in on them (half the devices; at least a 40th)
          --use SECONDS           mean time from one use of a device to the next (by profile)
          --rate R                messages a second (by profile)
          --connections C         kept connections for requests, 1 to 16000 (256)
          --streams S             event streams at most (15000)
          --delivery MODE         sets the apps: messages to people are kept by devices or person; auto
                                  leaves them as they are, and with shared-phone takes both in turn
          --filter MODE           likewise: off, client, server or auto
          --ride-out SECONDS      how long the server may be away (30)
          --hint-within SECONDS   how long a stream may take to tell of a change; 0: not judged (10)
          --shard I/N             this is process I of N that share the run, each with apps of its own
          --run NAME              the run's name, which processes that share it must be given (random)
          --record FILE           writes the record, for `simulator report`
          --html PAGE             writes the report as one page with plots
          --json                  prints the record in place of the table
          --seed X                repeats what devices and backends choose (random)
          --quiet                 no progress
          --i-own-this-server H   allows a server that is not this machine
          --wire device           speaks the device interface instead, as published libraries do, with
                                  fewer options: --devices, --duration, --refresh SECONDS, --people,
                                  --rate, --connections, --delivery, --ride-out, --seed

        Exit status: 0 every inbox was right, 1 one was not, or the server refused or stayed away,
        2 the command line is wrong.

        examples:
          simulator load --server http://127.0.0.1:8080 --devices 500 --duration 30 --html run.html
          simulator load --apps apps.json --profile shared-phone --devices 600 --use 2
          simulator load --profile herd --devices 10000 --connections 4000 --duration 60
          simulator load --shard 1/2 --run friday --apps apps.json --record one.json
        """
}
