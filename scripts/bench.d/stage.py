"""What the parts of the benchmark share: the cluster with its datasets, servers, and runs of load."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from cluster import MEMORY, Cluster, shared_buffers
from data import Dataset, Size
from load import run_pgbench, run_wrk
from server import Server

STARTED = time.monotonic()
CROWD = 100_000  # recipients of P7
BYSTANDERS = 2_000  # devices of another app, which P7 must not slow down
AGED = 5  # inboxes of P9 with a long past, and as many fresh ones beside them


def say(text):
    print(f"bench: {time.monotonic() - STARTED:4.0f} s  {text}", file=sys.stderr, flush=True)


class Stage:
    """One run of the benchmark; `chosen` are the options."""

    def __init__(self, root: pathlib.Path, martlet, chosen):
        self.root = root
        self.martlet = martlet
        self.chosen = chosen
        self.rounds = range(chosen.rounds)
        self.seconds = chosen.seconds
        self.home = chosen.data.resolve()
        self.random = random.Random(1)
        self.notes = []
        programs = output(root / "scripts" / "with-postgres", "--programs")
        self.cluster = Cluster(self.home / "data", programs)
        few, many = chosen.growth

        def dataset(name, **sizes):
            return Dataset(self.cluster, self.home, name, sizes)

        # The app that most parts measure is called `bench` everywhere.
        self.main = dataset("main", bench=Size(chosen.inboxes, crowd=min(CROWD, chosen.inboxes)),
                            bystanders=Size(min(BYSTANDERS, chosen.inboxes)))
        self.small = dataset("small", bench=Size(few))
        self.large = dataset("large", bench=Size(many), aged=Size(2 * AGED, aged=AGED))

    def prepare(self, datasets):
        """Starts the cluster with these datasets, made if they are not kept."""
        self.home.mkdir(exist_ok=True)
        self._drop_other_version()
        missing = [one for one in datasets if not one.is_kept(self.root)]
        if missing:
            self.cluster.start(making=True)
            for one in missing:
                sizes = ", ".join(f"{size.inboxes:,}" for size in one.sizes.values())
                say(f"making {one.name}: apps with {sizes} inboxes …")
                one.make(self.martlet, self.root)
            self.cluster.stop()
        self.cluster.start()
        for one in datasets:
            one.update(self.martlet, self.root)

    def stop(self):
        self.cluster.stop()

    def server(self, dataset, *flags):
        """A server that has rendered nothing yet, and limits no rates: a few credentials make all the load."""
        return Server([self.martlet, "serve", "--database", self.cluster.url(dataset.name), "--listen",
                       "127.0.0.1:0", "--secret-key-file", dataset.secret_key,
                       "--limit-requests-per-credential", "0", "--limit-requests-per-app", "0",
                       "--limit-failed-logins-per-address", "0", *flags],
                      self.home / "server.log")

    def load(self, server, requests, seconds=None):
        return run_wrk(server, self.cluster, requests, seconds or self.seconds)

    def reference(self, dataset, script, clients, seconds=None):
        return run_pgbench(self.cluster, dataset.name, script, seconds or self.seconds, clients)

    def machine(self):
        """What the figures depend on, for the report."""
        with open("/proc/cpuinfo") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown CPU")
        system = os.uname()
        postgres = output(self.cluster.programs / "postgres", "--version")
        swift = output("swift", "--version").splitlines()[0]
        return [f"Machine: {os.cpu_count()} cores ({model}), {MEMORY / 2**30:.0f} GiB, {system.sysname} "
                f"{system.release} {system.machine}; {postgres}, fsync on, shared_buffers {shared_buffers()} MB; "
                f"{swift}; {output(self.martlet, 'version')}."]

    def _drop_other_version(self):
        """A cluster of another PostgreSQL cannot be started."""
        known = self.cluster.data / "PG_VERSION"
        if known.exists() and f" {known.read_text().strip()}." not in output(
                self.cluster.programs / "postgres", "--version"):
            shutil.rmtree(self.cluster.data)
        if not known.exists():
            for one in (self.main, self.small, self.large):
                one.made.unlink(missing_ok=True)


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout.strip()
