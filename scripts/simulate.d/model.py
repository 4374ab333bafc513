"""Runs `simulator check --model` against two servers over one database; see scripts/simulate."""

import base64
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile

# Histories ask faster than people do, from one address.
WITHOUT_RATES = [word for rate in ("requests-per-credential", "requests-per-app", "failed-logins-per-address")
                 for word in (f"--limit-{rate}", "0")]

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bench.d"))

from backstage import Backstage  # noqa: E402 (the path is set above)
from database import Database  # noqa: E402
from server import Server  # noqa: E402


def main(programs, *options):
    programs = pathlib.Path(programs)
    options = list(options)
    if "--histories" not in options:
        options += ["--histories", "5000"]
    with tempfile.TemporaryDirectory(prefix="martlet-model.") as home:
        home = pathlib.Path(home)
        database = Database(os.environ["MARTLET_TEST_DATABASE"], "model")
        key = home / "secret.key"
        key.touch(mode=0o600)
        key.write_text(base64.b64encode(secrets.token_bytes(32)).decode() + "\n")
        installation = ["--database", database.url, "--secret-key-file", key]
        subprocess.run([programs / "martlet", "migrate", *installation], check=True, stdout=subprocess.DEVNULL)
        database.replace_clock()

        # Under one address, as behind a balancer: a list's date is also that of the addresses in it.
        def server(number):
            return Server([programs / "martlet", "serve", *installation, "--listen", "127.0.0.1:0",
                           "--public-url", "http://martlet.test", *WITHOUT_RATES], home / f"server-{number}.log")

        command = [programs / "martlet", "app", "create", *installation, "--json"]
        with server(1) as one, server(2) as other, Backstage(database, command) as backstage:
            return run([programs / "simulator", "check", "--model", "--server", one.url, "--server", other.url,
                        "--backstage", backstage.url, *options])


def run(check):
    """Runs the program; its servers will be gone, so a failure is told again by this script."""
    with subprocess.Popen(check, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            again = re.match(r"again: .* --seed (\d+)$", line)
            print(f"again: scripts/simulate --model --histories 1 --seed {again[1]}" if again else line.rstrip("\n"),
                  file=sys.stderr, flush=True)
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
