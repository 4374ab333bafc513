"""The data that is measured: made once by SQL and kept; who its users are and what they would send."""

import base64
import concurrent.futures
import hashlib
import json
import pathlib
import socket
import subprocess

HERE = pathlib.Path(__file__).parent
HELD = 30  # messages in each inbox
KEY_STEP, KEY_BASE = 92233720368, 12345  # of user keys; data.sql has the same numbers
CLIENTS = 8


class Data:
    def __init__(self, cluster, inboxes, home: pathlib.Path):
        self.cluster = cluster
        self.inboxes = inboxes
        self.messages = max(HELD, inboxes * HELD // 1000)
        self.home = home
        self.secret_key = home / "secret.key"
        # The first four fifths refresh and list; the others are changed, so that their lists need no write.
        self.readers = range(1, inboxes * 4 // 5 + 1)
        self.markers = range(inboxes * 4 // 5 + 1, inboxes + 1)

    @staticmethod
    def fingerprint(inboxes, root: pathlib.Path):
        """Changes when kept data no longer is what this program would make."""
        digest = hashlib.sha256(str(inboxes).encode())
        for path in sorted((root / "migrations").glob("*.sql")) + [HERE / "data.sql"]:
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]

    def make(self, martlet):
        """Fills an empty cluster."""
        self.secret_key.write_text(base64.b64encode(bytes(range(32))).decode() + "\n")
        self.secret_key.chmod(0o600)
        self.cluster.sql("CREATE DATABASE martlet", database="postgres")
        for command in (["migrate"], ["app", "create", "bench", "--preset", "airship", "--json",
                                      "--secret-key-file", str(self.secret_key)]):
            result = subprocess.run([martlet, *command, "--database", self.cluster.url()],
                                    capture_output=True, text=True)
            if result.returncode:
                raise SystemExit(f"bench: martlet {' '.join(command[:2])} failed: {result.stderr.strip()}")
        self.cluster.sql((HERE / "data.sql").read_text(), inboxes=self.inboxes, held=HELD, messages=self.messages)
        self.tidy()

    def tidy(self):
        """What was marked read is unread again, and lists can be read from the index alone."""
        self.cluster.sql(
            "UPDATE deliveries SET unread = true WHERE NOT unread; VACUUM (ANALYZE); CHECKPOINT")

    def vacuum(self):
        """Marks make rows whose lists fall back to the heap until a vacuum has passed; it passes here, unmeasured."""
        self.cluster.sql("VACUUM deliveries, inboxes, inbox_users")

    def read_ids(self):
        self.app = int(self.cluster.sql("SELECT app_id FROM apps WHERE name = 'bench'")[0][0])

    def user(self, inbox):
        """The name of an inbox's user, as the server spells it."""
        key = inbox * KEY_STEP + KEY_BASE
        mixed = key ^ self.app * 0x9E37_79B9_7F4A_7C15 & MASK
        mixed = (mixed ^ mixed >> 33) * 0xFF51_AFD7_ED55_8CCD & MASK
        mixed = (mixed ^ mixed >> 33) * 0xC4CE_B9FE_1A85_EC53 & MASK
        check = (mixed ^ mixed >> 33) & 0xFFFF_FFFF
        raw = self.app.to_bytes(4, "big") + key.to_bytes(8, "big") + check.to_bytes(4, "big")
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    def message(self, inbox, slot):
        """The id of the message that an inbox holds in a slot."""
        number = (inbox + slot * (self.messages // HELD)) % self.messages
        return hashlib.md5(str(number).encode()).hexdigest()[:21] + "A"

    def _request(self, inbox, method, path, body=None, more=""):
        user = self.user(inbox)
        password = hashlib.md5(f"password{inbox}".encode()).hexdigest()[:22]
        credential = base64.b64encode(f"{user}:{password}".encode()).decode()
        length = "" if body is None else f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return (f"{method} /api/user/{user}{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Authorization: Basic {credential}\r\n{more}{length}\r\n{body or ''}").encode()

    def list_request(self, inbox, date=None):
        """A refresh: the whole list, or only what is newer than the date of the last one."""
        return self._request(inbox, "GET", "/messages/", more=f"If-Modified-Since: {date}\r\n" if date else "")

    def read_request(self, inbox, slot):
        """Marks the message in a slot read."""
        entry = {"messages": [{"message_id": self.message(inbox, slot)}]}
        return self._request(inbox, "POST", "/messages/unread/", body=json.dumps(entry))

    def list_all(self, port):
        """Lists every reader's inbox once; returns the date of each list, by inbox."""
        dates = {}

        def list_some(inboxes):
            with Connection(port) as connection:
                for inbox in inboxes:
                    status, headers, body = connection.exchange(self.list_request(inbox))
                    if status != 200:
                        raise SystemExit(f"bench: listing inbox {inbox} was answered {status}: {body[:200]!r}")
                    dates[inbox] = headers["last-modified"]

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(list_some, [self.readers[at::CLIENTS] for at in range(CLIENTS)]))
        return dates


MASK = 0xFFFF_FFFF_FFFF_FFFF


class Connection:
    """A kept connection that carries ready-made requests."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def exchange(self, request):
        """The status, headers (names in lower case) and body of the answer."""
        self.socket.sendall(request)
        status = int(self.file.readline().split()[1])
        headers = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, self.file.read(int(headers.get("content-length", 0)))
