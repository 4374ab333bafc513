/// What `--help` prints.
enum Help {
    static let overview = """
        simulator: many devices against a Martlet server, and whether every inbox was right

          simulator load    let many devices use a server while messages are sent, say how fast it was,
                            and compare every inbox with what it must hold

          simulator check   look for what is wrong: histories against a model of the rules, worlds
                            without a network, and real servers that are killed under load

          simulator report  show what load runs measured, and make one page of it

        `simulator COMMAND --help` says more.
        """

    static let report = """
        usage: simulator report FILE… [--html PAGE] [--json OUT]

        Shows the record that a load run wrote: verdict, times, errors, reach and sync lag, and what the
        simulator took itself. Several processes that shared a run wrote a record each: named together,
        in any order, they make the report of the whole. All must be there, each once.

          --html PAGE             writes the report as one page with plots that needs no other file
          --json OUT              writes the record of the whole run

        Exit status: 0 every inbox was right, 1 one was not, 2 the command line is wrong, or a file is
        no record, is of another run, or cannot be written.

        examples:
          simulator report run.json --html run.html
          simulator report shard-1.json shard-2.json shard-3.json --html run.html --json run.json
        """
}
