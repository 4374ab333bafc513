"""A PostgreSQL of the benchmark's own, durable (fsync on), on a Unix socket only; its data stays between runs."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import processes

SETTINGS = """
listen_addresses = ''
max_connections = 100
max_wal_size = 16GB
checkpoint_timeout = 1h
jit = off
logging_collector = on
log_destination = 'jsonlog'
log_directory = 'log'
log_checkpoints = off
"""
# While data is made there is nothing to lose: it is made again.
MAKING = """
wal_level = minimal
max_wal_senders = 0
synchronous_commit = off
autovacuum = off
"""
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def shared_buffers():
    """Mebibytes: a quarter of the memory, as PostgreSQL's manual advises, but no more than the largest data needs."""
    return min(max(MEMORY // 4, 2**28), 2**33) // 2**20


@dataclasses.dataclass
class Statement:
    """What a client executed: with parameters as text (None is NULL), in a transaction that has a name."""

    sql: str
    values: list
    transaction: str


class Cluster:
    def __init__(self, data: pathlib.Path, programs: str):
        self.data = data
        self.programs = pathlib.Path(programs)
        # PostgreSQL refuses to run as root.
        self.owner = ["runuser", "--user", "postgres", "--"] if os.geteuid() == 0 else []
        self.pid = 0
        self.socket = ""

    def start(self, making=False):
        # Short: the path of a socket has room for about 100 bytes.
        self.socket = tempfile.mkdtemp(prefix="martlet-bench.", dir="/tmp")
        self.data.mkdir(parents=True, exist_ok=True)
        if self.owner:
            for folder in (self.socket, self.data):
                shutil.chown(folder, "postgres", "postgres")
            if subprocess.run([*self.owner, "test", "-x", self.data]).returncode:
                raise SystemExit(f"bench: the user postgres cannot reach {self.data}; choose another --data")
        self.data.chmod(0o700)
        if not (self.data / "PG_VERSION").exists():
            self._run("initdb", "--pgdata", self.data, "--username", "postgres", "--auth", "trust",
                      "--encoding", "UTF8", "--locale", "C")
        (self.data / "postgresql.auto.conf").write_text("")
        (self.data / "bench.conf").write_text(
            SETTINGS + (MAKING if making else "") + f"shared_buffers = '{shared_buffers()}MB'\n"
            f"unix_socket_directories = '{self.socket}'\n")
        self._run("pg_ctl", "start", "--wait", "--pgdata", self.data, "--log", f"{self.socket}/log",
                  "--options", f"-c config_file={self.data}/bench.conf")
        self.pid = int((self.data / "postmaster.pid").read_text().split()[0])

    def stop(self):
        if self.pid:
            self._run("pg_ctl", "stop", "--mode", "fast", "--pgdata", self.data)
            self.pid = 0
        if self.socket:
            shutil.rmtree(self.socket)
            self.socket = ""

    def _run(self, program, *arguments):
        result = subprocess.run([*self.owner, self.programs / program, *arguments], cwd="/",
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if result.returncode:
            raise SystemExit(f"bench: {program} failed: {result.stderr.strip()}")

    def url(self, database):
        return f"postgresql://postgres@/{database}?host={self.socket}"

    def sql(self, text, database, **variables):
        """Runs statements; returns the rows of the last one as lists of text."""
        flags = [flag for name, value in variables.items() for flag in ("--set", f"{name}={value}")]
        result = subprocess.run(
            [self.programs / "psql", self.url(database), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
             "--set", "ON_ERROR_STOP=1", *flags],
            input=text, capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"bench: SQL failed: {result.stderr.strip()}")
        return [line.split("|") for line in result.stdout.splitlines()]

    def timed(self, text, database):
        """Seconds that one statement takes, with its commit."""
        rows = self.sql(f"\\timing on\n{text.strip().rstrip(';')};\n", database)
        times = [re.match(r"Time: ([\d.]+) ms", row[0]) for row in rows]
        return next(float(time[1]) for time in reversed(times) if time) / 1000

    def cpu(self):
        return processes.cpu_of_family(self.pid)

    def statements(self, action):
        """What any client executes while `action` runs, in order."""
        self._log_statements("0")
        log = max((self.data / "log").glob("*.json"), key=os.path.getmtime)
        start = log.stat().st_size
        action()
        time.sleep(0.2)  # the collector writes a little later
        self._log_statements("-1")
        found = []
        with open(log) as file:
            file.seek(start)
            for line in file:
                entry = json.loads(line)
                match = re.match(r"duration: \S+ ms  execute \S+: (.*)", entry.get("message", ""), re.DOTALL)
                if match:
                    found.append(Statement(match[1], _parameters(entry.get("detail", "")), entry.get("vxid", "")))
        return found

    def _log_statements(self, milliseconds):
        self.sql(f"ALTER SYSTEM SET log_min_duration_statement = {milliseconds}; SELECT pg_reload_conf()", "postgres")
        time.sleep(0.2)  # connections learn of it by a signal


def _parameters(detail):
    """Reads `parameters: $1 = '7', $2 = NULL` into a list."""
    values = re.findall(r"\$\d+ = (NULL|'(?:[^']|'')*')", detail)
    return [None if value == "NULL" else value[1:-1].replace("''", "'") for value in values]
