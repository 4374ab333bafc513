"""A database whose clock stands still until it is set forward, reached by one psql that stays."""

import subprocess
import threading

CLOCK = """
CREATE TABLE test_clock (now timestamptz NOT NULL);
INSERT INTO test_clock VALUES (date_trunc('milliseconds', statement_timestamp()));
GRANT SELECT ON test_clock TO PUBLIC;
CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT now FROM test_clock $$;
"""
MARK = "done"


class Database:
    def __init__(self, server, name):
        subprocess.run(["psql", server, "--no-psqlrc", "--quiet", "--command", f"CREATE DATABASE {name}"], check=True)
        address, question, parameters = server.partition("?")
        self.url = address.rpartition("/")[0] + f"/{name}" + question + parameters
        self.psql = subprocess.Popen(
            ["psql", self.url, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lock = threading.Lock()

    def ask(self, sql):
        """Runs statements; returns the lines that they print."""
        with self.lock:
            self.psql.stdin.write(f"{sql}\n\\echo {MARK}\n")
            self.psql.stdin.flush()
            lines = []
            while (line := self.psql.stdout.readline()) != f"{MARK}\n":
                if not line:
                    raise SystemExit("simulate: psql has ended; its last words are above")
                lines.append(line.rstrip("\n"))
            return lines

    def replace_clock(self):
        self.ask(CLOCK)

    def advance(self, microseconds):
        """Sets the clock forward; what it shows then, in microseconds since 1970."""
        return int(self.ask(f"UPDATE test_clock SET now = now + {int(microseconds)} * interval '1 microsecond'"
                            " RETURNING (extract(epoch FROM now) * 1000000)::bigint;")[0])

    def configure(self, key, settings):
        """Sets an app as a history wants it."""
        self.ask(f"""UPDATE apps SET delivery_mode = {int(settings["keeps_with_people"])},
            identity_mode = {int(settings["trusts_devices"])}, filter_mode = {2 * int(settings["filters"])},
            filter_untargeted = {settings["shows_untargeted"]}, inbox_cap = {int(settings["cap"])}
            WHERE app_key = '{key}';""")
