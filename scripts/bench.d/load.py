"""Load and what it cost: wrk against the server, pgbench against PostgreSQL with the server's own statements."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

from apis import Connection

HERE = pathlib.Path(__file__).parent
THREADS = 1  # it shares the machine with the server and PostgreSQL, and one is not the bottleneck
CONNECTIONS = 64
CLIENTS = 16  # of references whose rate counts: enough to keep every core busy and to share commits
CHEAPEST_CLIENTS = os.cpu_count()  # of references whose CPU counts: more of them only take turns, which costs each more
SAMPLES = 10  # answers of each run that are looked at
SIZE_TOLERANCE = 0.05  # of a run's answers against the samples


@dataclasses.dataclass
class Measure:
    """One run of load."""

    requests: int  # answered as they should be
    rate: float
    cpu: float  # microseconds a request, of server and PostgreSQL together
    postgres_cpu: float  # PostgreSQL's part of it
    p50: float = 0  # milliseconds
    p99: float = 0
    errors: int = 0  # refused or lost, and not counted


class Meter:
    """Adds up what a server and a cluster use while something runs."""

    def __init__(self, cluster, server=None):
        self.cluster = cluster
        self.server = server

    def __enter__(self):
        self.start = self._now()
        return self

    def __exit__(self, *_):
        self.server_cpu, self.postgres_cpu = (end - begin for begin, end in zip(self.start, self._now()))

    @property
    def cpu(self):
        return self.server_cpu + self.postgres_cpu

    def _now(self):
        return (self.server.cpu() if self.server else 0, self.cluster.cpu())


class Requests:
    """Ready-made requests of one kind, in a file for wrk, and what each must be answered.

    `is_right` looks at a body. Only samples are looked at; of the others wrk counts the refused, and the mean size
    tells whether they were of the kind.
    """

    def __init__(self, home: pathlib.Path, name, requests, status, is_right=lambda body: True):
        self.path = home / f"{name}.requests"
        self.path.write_bytes(b"\0".join(requests))
        self.requests = requests
        self.samples = requests[-SAMPLES:]  # wrk begins with the first
        self.status = status
        self.is_right = is_right

    def sample(self, port):
        """The mean size of right answers."""
        return self._exchange(self.samples, port) / len(self.samples)

    def exchange_all(self, port):
        """Sends each request once."""
        self._exchange(self.requests, port)

    def _exchange(self, requests, port):
        """Bytes of the answers, which must be right."""
        size = 0
        with Connection(port) as connection:
            for request in requests:
                status, _, body = connection.exchange(request)
                if status != self.status or not self.is_right(body):
                    raise SystemExit(f"bench: {self.path.stem} was answered {status}: {body[:300]!r}")
                size += connection.answer_bytes
        return size


def run_wrk(server, cluster, requests: Requests, seconds):
    """Sends the requests over and over, from the first."""
    command = ["wrk", "--threads", str(THREADS), "--connections", str(CONNECTIONS), "--duration", f"{seconds}s",
               "--timeout", "10s", "--script", HERE / "load.lua", server.url, "--", requests.path, str(THREADS)]
    expected = requests.sample(server.port)
    with Meter(cluster, server) as meter:
        result = subprocess.run(command, capture_output=True, text=True)
    line = re.search(r"^\{.*\}$", result.stdout, re.MULTILINE)
    if result.returncode or not line:
        raise SystemExit(f"bench: wrk failed: {result.stderr or result.stdout}")
    seen = json.loads(line[0])
    count = seen["requests"] - seen["refused"]
    if count <= 0:
        raise SystemExit(f"bench: {requests.path.stem}: nothing was answered: {seen}; see the server's log beside it")
    size = seen["bytes"] / seen["requests"]
    if not seen["refused"] and abs(size / expected - 1) > SIZE_TOLERANCE:
        raise SystemExit(f"bench: {requests.path.stem}: answers have {size:.0f} bytes, not {expected:.0f}")
    return Measure(
        requests=count, rate=count / seen["microseconds"] * 1e6, cpu=meter.cpu / count,
        postgres_cpu=meter.postgres_cpu / count, p50=seen["p50"] / 1000, p99=seen["p99"] / 1000,
        errors=seen["refused"] + seen["lost"])


def run_pgbench(cluster, database, script, seconds, clients):
    """Runs a `Script` over and over, each client for itself."""
    path = pathlib.Path(cluster.socket) / "reference.sql"
    path.write_text(script.text)
    defines = [flag for name, value in script.variables.items() for flag in ("--define", f"{name}={value}")]
    command = [cluster.programs / "pgbench", "--no-vacuum", "--protocol", "prepared", "--client", str(clients),
               "--jobs", "2", "--time", str(seconds), "--file", path, *defines, cluster.url(database)]
    options = " ".join(f"-c {name}={value}" for name, value in script.settings.items())
    with Meter(cluster) as meter:
        result = subprocess.run(command, capture_output=True, text=True, env={"PGOPTIONS": options})
    count = re.search(r"transactions actually processed: (\d+)", result.stdout)
    failed = re.search(r"number of failed transactions: (\d+)", result.stdout)
    rate = re.search(r"^tps = ([\d.]+)", result.stdout, re.MULTILINE)
    # A client whose statement is refused ends, and the others go on.
    if result.returncode or not count or not rate or "ERROR" in result.stderr or int(failed[1] if failed else 0):
        raise SystemExit(f"bench: pgbench failed: {result.stderr.strip()[:1000]}")
    cpu = meter.postgres_cpu / int(count[1])
    return Measure(requests=int(count[1]), rate=float(rate[1]), cpu=cpu, postgres_cpu=cpu)
