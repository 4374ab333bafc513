extension Help {
    /// What `simulator check --help` says of `--simulated`.
    static let simulated = """
        simulator check --simulated [options]

        Plays worlds in one process, without network, files or clock: devices with the sync core of
        the client library, a network that loses, delays and repeats by chance, and a server in memory
        that keeps the rules. What devices show is held against the rules at all times, and exactly at
        the end of each world. A seed has one course. Of the first world in which something is wrong,
        what happened last to that device is told.

          --worlds N              worlds to play (1000)
          --seed X                of the first world; each further one has the next (random)
          --devices D             devices of a world (2 to 6)
          --hours H               hours of a world (4 to 24)
          --digest                print nothing but a digest of all that happened
          --quiet                 no progress

        examples:
          simulator check --simulated --worlds 5000
          simulator check --simulated --worlds 1 --seed 42
        """
}
