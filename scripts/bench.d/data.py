"""The data that is measured: databases made once by SQL and kept, and what an app's users would send."""

import base64
import contextlib
import dataclasses
import hashlib
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
HELD = 30  # messages in each inbox
KEY_STEP, KEY_BASE = 92233720368, 12345  # of user keys; data.sql has the same numbers
FIRST_APP = 700_001  # of the ids of apps, so that one is told from other numbers in a statement's parameters
MASK = 0xFFFF_FFFF_FFFF_FFFF


class App:
    """A tenant of the benchmark; its ids are computed as data.sql does."""

    def __init__(self, name, number, inboxes, keys):
        self.name = name
        self.number = number
        self.inboxes = inboxes
        self.keys = keys  # app_key and master_secret
        self.messages = messages_for(inboxes)
        # The lower three fifths refresh and list; the others are changed, so that the lists of the first need no write.
        self.readers = range(1, inboxes * 3 // 5 + 1)
        self.changed = range(inboxes * 3 // 5 + 1, inboxes + 1)

    def user_key(self, inbox):
        return inbox * KEY_STEP + KEY_BASE

    def user(self, inbox):
        """The name of an inbox's user, as the server spells it."""
        key = self.user_key(inbox)
        mixed = key ^ self.number * 0x9E37_79B9_7F4A_7C15 & MASK
        mixed = (mixed ^ mixed >> 33) * 0xFF51_AFD7_ED55_8CCD & MASK
        mixed = (mixed ^ mixed >> 33) * 0xC4CE_B9FE_1A85_EC53 & MASK
        check = (mixed ^ mixed >> 33) & 0xFFFF_FFFF
        raw = self.number.to_bytes(4, "big") + key.to_bytes(8, "big") + check.to_bytes(4, "big")
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")

    def message(self, inbox, slot):
        """The id of the message that an inbox holds in a slot."""
        number = (inbox + slot * (self.messages // HELD)) % self.messages
        return hashlib.md5(str(number).encode()).hexdigest()[:21] + "A"

    def people(self):
        """The inboxes among those that are changed whose device has a person."""
        return range(self.changed.start + self.changed.start % 2, self.changed.stop, 2)

    def request(self, method, path, credentials, body=None, more=""):
        """A whole request, ready for a socket."""
        length = "" if body is None else f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic {basic(*credentials)}\r\n"
                f"{more}{length}\r\n{body or ''}").encode()

    def device_request(self, inbox, method, path, body=None, more=""):
        """One by an inbox's user; USER in the path is its name."""
        user = self.user(inbox)
        password = hashlib.md5(f"password{inbox}".encode()).hexdigest()[:22]
        return self.request(method, path.replace("USER", user), (user, password), body, more)

    def backend_request(self, method, path, body=None):
        """One by the app's backend."""
        return self.request(method, path, (self.keys["app_key"], self.keys["master_secret"]), body)

    def send_request(self, audience, number=0):
        """A message like those that the data has, to an audience in the words of `/v1/messages`."""
        return self.backend_request("POST", "/v1/messages", json.dumps({
            "audience": audience,
            "message": {
                "title": f"Offer {number}: two for one until Sunday", "content_type": "text/html",
                "body": "<p>Offer</p>" * 83 + "four",
                "extra": {"campaign": "spring", "link": f"shop://offers/{number}"}}}))


def basic(name, password):
    return base64.b64encode(f"{name}:{password}".encode()).decode()


def messages_for(inboxes):
    """Messages of an app: each is held by 1,000 inboxes, where there are so many."""
    return max(HELD, inboxes * HELD // 1000)


@dataclasses.dataclass
class Size:
    """How many inboxes an app of a dataset has, how many of them have the tag `crowd`, and how many are aged."""

    inboxes: int
    crowd: int = 0
    aged: int = 0


class Dataset:
    """A database with apps, kept until the sizes, the way it is made or migrations that it has had change."""

    GONE = 100_000  # deleted messages of an aged inbox

    def __init__(self, cluster, home: pathlib.Path, name, sizes):
        self.cluster = cluster
        self.name = f"martlet_{name}"
        self.sizes = sizes
        self.made = home / f"{self.name}.json"
        self.dirty = home / f"{self.name}.dirty"
        self.secret_key = home / "secret.key"
        self.apps = {}
        self.migrations = {}  # digests by name, of those that the database has had

    def is_kept(self, root: pathlib.Path):
        """Whether the database is there as this program would make it, newer migrations aside; reads its apps then."""
        if not self.made.exists():
            return False
        known = json.loads(self.made.read_text())
        had = known.get("migrations", {}).items()
        if known["fingerprint"] != self._fingerprint() or not had <= _migrations(root).items():
            return False
        self.migrations = dict(had)
        self._read(known["apps"])
        return True

    def update(self, martlet, root: pathlib.Path):
        """Applies the migrations that are newer than what is kept."""
        if self.migrations == _migrations(root):
            return
        self._martlet(martlet, "migrate")
        self.sql("VACUUM (ANALYZE)")
        self._keep(root)

    def make(self, martlet, root: pathlib.Path):
        """Makes the database anew."""
        self.made.unlink(missing_ok=True)
        self.secret_key.write_text(base64.b64encode(bytes(range(32))).decode() + "\n")
        self.secret_key.chmod(0o600)
        self.cluster.sql(f"DROP DATABASE IF EXISTS {self.name}", "postgres")
        self.cluster.sql(f"CREATE DATABASE {self.name}", "postgres")
        self._martlet(martlet, "migrate")
        self.sql(f"ALTER TABLE apps ALTER COLUMN app_id RESTART WITH {FIRST_APP}")
        keys = {name: json.loads(self._martlet(martlet, "app", "create", name, "--preset", "airship", "--json",
                                               "--secret-key-file", self.secret_key)) for name in self.sizes}
        self._fill()
        numbers = {name: int(number) for name, number in self.sql("SELECT name, app_id FROM apps")}
        self._read({name: {"number": numbers[name], "keys": {
            key: keys[name][key] for key in ("app_key", "master_secret")}} for name in self.sizes})
        self._verify()
        self.dirty.unlink(missing_ok=True)
        self._keep(root)

    def sql(self, text, **variables):
        return self.cluster.sql(text, self.name, **variables)

    @contextlib.contextmanager
    def hasty(self):
        """Lets connections that are made meanwhile not wait for the disk: for work that is not measured."""
        self.sql(f"ALTER DATABASE {self.name} SET synchronous_commit = off")
        try:
            yield
        finally:
            self.sql(f"ALTER DATABASE {self.name} RESET synchronous_commit")

    def mark_dirty(self):
        """Says that a run changes what is kept, beyond the dates of lists: `tidy` is due, also after a crash."""
        self.dirty.touch()

    def tidy(self):
        """Takes back what a run has changed: marks, messages that were sent, the log of broadcasts."""
        if not self.dirty.exists():
            return
        self.sql("""
            DELETE FROM deliveries d USING messages m
            WHERE m.push <> '{}' AND d.app_id = m.app_id AND d.message_id = m.message_id;
            UPDATE deliveries d SET unread = true, deleted = false
            WHERE NOT unread AND NOT deleted OR deleted AND EXISTS (
                SELECT FROM messages m WHERE m.app_id = d.app_id AND m.message_id = d.message_id);
            UPDATE inboxes SET floor_ms = NULL, floor_id = NULL WHERE floor_ms IS NOT NULL;
            DELETE FROM app_log;
            DELETE FROM messages WHERE push <> '{}';
            DELETE FROM audit;
            UPDATE apps SET floor_ms = NULL, floor_id = NULL WHERE floor_ms IS NOT NULL;
            VACUUM (ANALYZE);
            CHECKPOINT""")
        self.dirty.unlink()

    def vacuum(self):
        """Marks make rows whose lists fall back to the heap until a vacuum has passed; it passes here, unmeasured."""
        self.sql("VACUUM deliveries, inboxes, inbox_users")

    def take_back(self, message):
        """Undoes a send, and leaves the tables as it found them."""
        self.sql(
            "DELETE FROM deliveries WHERE message_id = :'message'; DELETE FROM messages WHERE message_id = :'message';"
            "VACUUM deliveries, inboxes, messages", message=message)

    def _fill(self):
        before, after = (HERE / "making.sql").read_text().split("-- apps\n")
        fill = (HERE / "data.sql").read_text()
        steps = [before]
        for name, size in self.sizes.items():
            variables = {"app": name, "inboxes": size.inboxes, "held": HELD, "crowd": size.crowd,
                         "messages": messages_for(size.inboxes)}
            steps += [f"\\set {key} {value}" for key, value in variables.items()] + [fill]
        self.sql("\n".join(steps + [after]))
        for name, size in self.sizes.items():
            if size.aged:
                self.sql("VACUUM (ANALYZE)")
                self.sql((HERE / "aged.sql").read_text(), app=name, aged=size.aged, gone=self.GONE, held=HELD)
        self.sql("VACUUM (FREEZE, ANALYZE)")

    def _verify(self):
        wrong = self.sql("""
            SELECT a.name FROM apps a
            WHERE (SELECT coalesce(sum(channels), 0) FROM channel_counts c WHERE c.app_id = a.app_id)
                <> (SELECT count(*) FROM channels c WHERE c.app_id = a.app_id AND c.uninstalled_at IS NULL)""")
        if wrong:
            raise SystemExit(f"bench: the channels of {wrong} are not counted right")

    def _read(self, apps):
        self.apps = {name: App(name, known["number"], self.sizes[name].inboxes, known["keys"])
                     for name, known in apps.items()}

    def _martlet(self, martlet, *command):
        result = subprocess.run([martlet, *command, "--database", self.cluster.url(self.name)],
                                capture_output=True, text=True)
        if result.returncode:
            raise SystemExit(f"bench: martlet {' '.join(command[:2])} failed: {result.stderr.strip()}")
        return result.stdout

    def _keep(self, root):
        """Writes down what `is_kept` reads."""
        self.migrations = _migrations(root)
        had = self.sql("SELECT count(*) FROM schema_migrations")
        if had != [[str(len(self.migrations))]]:
            raise SystemExit(f"bench: the program has {had[0][0]} migrations, and migrations/ {len(self.migrations)}")
        apps = {app.name: {"number": app.number, "keys": app.keys} for app in self.apps.values()}
        self.made.write_text(json.dumps({
            "fingerprint": self._fingerprint(), "migrations": self.migrations, "apps": apps}))

    def _fingerprint(self):
        sizes = {name: dataclasses.asdict(size) for name, size in self.sizes.items()}
        digest = hashlib.sha256(json.dumps([sizes, HELD, self.GONE, FIRST_APP], sort_keys=True).encode())
        for path in sorted(HERE.glob("*.sql")):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


def _migrations(root):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            for path in sorted((root / "migrations").glob("*.sql"))}
