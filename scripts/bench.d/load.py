"""Load and what it cost: wrk against the server, pgbench against PostgreSQL with the server's own statements."""

import dataclasses
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
THREADS = 1  # it shares the machine with the server and PostgreSQL, and one is not the bottleneck


@dataclasses.dataclass
class Measure:
    """One run of load."""

    requests: int
    rate: float
    cpu: float  # microseconds a request, of server and PostgreSQL together
    postgres_cpu: float  # PostgreSQL's part of it
    p50: float = 0  # milliseconds
    p99: float = 0
    bytes: float = 0  # of an answer


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

    def _now(self):
        return (self.server.cpu() if self.server else 0, self.cluster.cpu())


def run_wrk(server, cluster, requests: pathlib.Path, seconds, connections):
    """Sends the requests of a file (see load.lua) over and over."""
    command = ["wrk", "--threads", str(THREADS), "--connections", str(connections), "--duration", f"{seconds}s",
               "--timeout", "10s", "--script", HERE / "load.lua", server.url, "--", requests, str(THREADS)]
    with Meter(cluster, server) as meter:
        result = subprocess.run(command, capture_output=True, text=True)
    line = re.search(r"^\{.*\}$", result.stdout, re.MULTILINE)
    if result.returncode or not line:
        raise SystemExit(f"bench: wrk failed: {result.stderr or result.stdout}")
    seen = json.loads(line[0])
    if seen["refused"] or seen["lost"] or not seen["requests"]:
        raise SystemExit(f"bench: {requests.name}: {seen}; see the server's log beside it")
    count = seen["requests"]
    return Measure(
        requests=count, rate=count / seen["microseconds"] * 1e6,
        cpu=(meter.server_cpu + meter.postgres_cpu) / count, postgres_cpu=meter.postgres_cpu / count,
        p50=seen["p50"] / 1000, p99=seen["p99"] / 1000, bytes=seen["bytes"] / count)


def run_pgbench(cluster, script, seconds, clients, variables, settings):
    """Runs a script of statements; `settings` (role, app) are those of the server's connection."""
    path = pathlib.Path(cluster.socket) / "reference.sql"
    path.write_text(script)
    defines = [flag for name, value in variables.items() for flag in ("--define", f"{name}={value}")]
    command = [cluster.programs / "pgbench", "--no-vacuum", "--protocol", "prepared", "--client", str(clients),
               "--jobs", "2", "--time", str(seconds), "--file", path, *defines, cluster.url()]
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    with Meter(cluster) as meter:
        result = subprocess.run(command, capture_output=True, text=True, env={"PGOPTIONS": options})
    count = re.search(r"transactions actually processed: (\d+)", result.stdout)
    rate = re.search(r"^tps = ([\d.]+)", result.stdout, re.MULTILINE)
    if result.returncode or not count or not rate:
        raise SystemExit(f"bench: pgbench failed: {result.stderr.strip()}")
    cpu = meter.postgres_cpu / int(count[1])
    return Measure(requests=int(count[1]), rate=float(rate[1]), cpu=cpu, postgres_cpu=cpu)


def reference_script(setup, statement, expressions):
    """A pgbench script of one statement: parameter n becomes what `expressions` makes of its recorded value."""
    sql, values = statement

    def expression(match):
        return expressions(values[int(match[1]) - 1])

    return f"{setup}\n{re.sub(r'[$]([0-9]+)', expression, sql).rstrip().rstrip(';')};\n"
