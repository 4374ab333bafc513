"""Runs `simulator check --model` against two servers over one database; see scripts/simulate."""

import os
import pathlib
import subprocess
import sys
import tempfile

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
        installation = ["--database", database.url, "--secret-key-file", home / "secret.key"]
        subprocess.run([programs / "martlet", "migrate", *installation], check=True, stdout=subprocess.DEVNULL)
        database.replace_clock()

        def server(number):
            return Server([programs / "martlet", "serve", *installation, "--listen", "127.0.0.1:0"],
                          home / f"server-{number}.log")

        command = [programs / "martlet", "app", "create", *installation, "--json"]
        with server(1) as one, server(2) as other, Backstage(database, command) as backstage:
            check = subprocess.run([programs / "simulator", "check", "--model", "--server", one.url, "--server",
                                    other.url, "--backstage", backstage.url, *options])
    if check.returncode == 1:
        print("scripts/simulate: --histories 1 and that seed tell it again", file=sys.stderr)
    return check.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
