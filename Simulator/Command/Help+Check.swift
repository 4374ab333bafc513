extension Help {
    /// What `simulator check --help` prints.
    static let check = """
        usage: simulator check --minutes M | --faults [options]
               simulator check --model --server URL --server URL --backstage URL [options]
               simulator check --simulated [options]

        Looks for answers that break a rule, in three ways.

        With --minutes or --faults: scenarios by chance, with real servers over a PostgreSQL of their own,
        all of it started here and gone afterwards. A fleet of devices uses them through a proxy that
        delays, loses, cuts, resets and repeats; meanwhile servers and PostgreSQL are killed and come
        back, stand still, clocks are set, and an older dump is restored. Then all heals, the devices
        come to rest, and every inbox must be right.

          --minutes M             begins scenarios for so long
          --seeds N               plays so many scenarios (1)
          --seed X                of the first scenario; each further one has the next (random)
          --duration SECONDS      of one scenario (20)
          --servers N             servers over the one database (2)
          --devices N             devices of the fleet, 6 to 2000 (48)
          --program PATH          where `martlet` is (beside the simulator)
          --html PAGE             writes the report of a scenario that went wrong
          --verbose               tells each deed as it is done
          --dry-run               tells what the seed plans, and does nothing

        With --model: short histories at two servers whose database's clock stands still. The first wrong
        one is told as the shortest story that goes wrong too. `scripts/simulate --model` starts all that
        this needs.

          --server URL            address of a server; given twice
          --backstage URL         where the clock is set and apps are made
          --histories N           histories to play (1000)
          --seed X                of the first history; each further one has the next (random)

        With --simulated: the library's sync core in worlds whose network, clock and server are values.
        One seed is one course, in every process.

          --worlds N              worlds to play (1000)
          --devices D             devices of a world (2 to 6)
          --hours H               simulated hours of a world (4 to 24)
          --seed X                of the first world; each further one has the next (random)
          --digest                prints nothing but a digest of all that happened

          --quiet                 no progress, in all three

        Exit status: 0 every answer was right, 1 one was not or a server was away, 2 the command line
        is wrong.

        examples:
          simulator check --minutes 10
          simulator check --faults --seeds 1 --seed 42 --verbose
          simulator check --faults --dry-run --seed 42
          simulator check --simulated --worlds 10000
          scripts/simulate --model --histories 5000
        """
}
