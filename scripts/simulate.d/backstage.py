"""What histories need beside servers: a clock that is set and new apps, over HTTP."""

import http.server
import json
import queue
import subprocess
import threading

READY = 16  # apps made ahead: `martlet app create` takes longer than a history


class Backstage:
    """Runs in a `with` block."""

    def __init__(self, database, command):
        self.database = database
        self.command = command
        self.apps = queue.Queue(maxsize=READY)
        self.ended = threading.Event()

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.maker = threading.Thread(target=self.make_apps)
        for thread in (self.maker, threading.Thread(target=self.server.serve_forever, daemon=True)):
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        while not self.apps.empty():
            self.apps.get()
        self.maker.join()
        self.server.shutdown()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def make_apps(self):
        number = 0
        while not self.ended.is_set():
            number += 1
            made = subprocess.run([*self.command, f"app {number}"], capture_output=True, text=True)
            self.apps.put(json.loads(made.stdout) if made.returncode == 0 else made.stderr)

    def app(self, settings):
        made = self.apps.get()
        if isinstance(made, str):
            raise RuntimeError(made)
        self.database.configure(made["app_key"], settings)
        return {name: made[name] for name in ("app_key", "app_secret", "master_secret")}

    def handler(self):
        backstage = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # connections are kept
            disable_nagle_algorithm = True  # head and body are written apart, and none shall wait for the other

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    if self.path == "/clock":
                        answer = {"now": backstage.database.advance(asked["microseconds"])}
                    else:
                        answer = backstage.app(asked)
                    status = 200
                except (KeyError, RuntimeError) as error:
                    status, answer = 500, {"error": str(error)}
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler
