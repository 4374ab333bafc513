"""The server that is measured: one process of `martlet serve` on a free port."""

import pathlib
import re
import signal
import subprocess
import time
import urllib.request

import processes

READY_WITHIN = 20  # seconds


class Server:
    """Runs in a `with` block."""

    def __init__(self, command, log: pathlib.Path):
        self.command = command
        self.log = log

    def __enter__(self):
        started = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            self.port = self._await_port(started + READY_WITHIN)
            self._await_readiness(started + READY_WITHIN)
        except BaseException:
            self.__exit__()
            raise
        self.ready_after = time.monotonic() - started
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _await_port(self, deadline):
        while time.monotonic() < deadline and self.process.poll() is None:
            found = re.search(r"listening on http://[^\s/]*:(\d+)", self.log.read_text(errors="replace"))
            if found:
                return int(found[1])
            time.sleep(0.002)
        raise SystemExit(f"bench: the server did not start; see {self.log}")

    def _await_readiness(self, deadline):
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=1):
                    return
            except OSError:
                time.sleep(0.002)
        raise SystemExit(f"bench: the server was not ready in {READY_WITHIN} s; see {self.log}")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def cpu(self):
        return processes.cpu(self.process.pid)

    def anonymous_bytes(self):
        return processes.anonymous_bytes(self.process.pid)
