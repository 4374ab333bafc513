"""P7: a message to a tag with many recipients, and what others notice of it."""

import dataclasses
import json
import statistics
import subprocess
import sys
import time

from apis import APIS, Connection
from load import HERE, Meter, Requests
from report import Claim, Row, number
from stage import CROWD, say

RATE = 300  # lists a second beside the send
POLL = 0.05  # seconds between questions for the state of the message
LONGEST = 300  # seconds that a send may take

# What a send to a tag must do at least, as one statement: raise the inboxes, and place the message in them.
REFERENCE = """
WITH raised AS (
    UPDATE inboxes i SET revision = i.revision + 1
    FROM inbox_tags t
    WHERE t.app_id = {app} AND t.tag_group = 'device' AND t.tag = 'crowd'
        AND i.app_id = t.app_id AND i.inbox_id = t.inbox_id
    RETURNING i.inbox_id, i.revision
)
INSERT INTO deliveries (app_id, message_id, inbox_id, sent_ms, expires_ms, added, changed, device_types)
SELECT m.app_id, m.message_id, r.inbox_id, m.sent_ms, m.expires_ms, r.revision, r.revision, m.device_types
FROM raised r
JOIN messages m ON m.app_id = {app} AND m.message_id = '{message}'
"""


@dataclasses.dataclass
class FanOut:
    """One send to the tag."""

    seconds: float
    cpu: float  # microseconds a recipient, of server and PostgreSQL together, with the lists beside it
    p99: float = 0  # of the lists beside it, milliseconds
    quiet_p99: float = 0  # of the same lists before it
    errors: int = 0


class Tags:
    ids = ("P7",)
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage
        self.dataset = stage.main

    def rows(self):
        self.dataset.tidy()
        self.dataset.mark_dirty()
        self.app = self.dataset.apps["bench"]
        self.recipients = min(CROWD, self.app.inboxes)
        others = self.dataset.apps["bystanders"]
        inboxes = list(range(1, others.inboxes + 1))
        self.stage.random.shuffle(inboxes)
        lists = [APIS[at % 2].list(others, inbox) for at, inbox in enumerate(inboxes)]
        self.lists = Requests(self.stage.home, "P7", lists, 200)
        say("P7, its reference before anything is measured …")
        self._refer()  # see Marks: pages are written to before it counts
        sends, references = [], []
        for round in self.stage.rounds:
            say(f"P7, round {round + 1} of {len(self.stage.rounds)} …")
            steps = [lambda: sends.append(self._send()), lambda: references.append(self._refer())]
            for step in steps if round % 2 == 0 else reversed(steps):
                step()
        return [self._row(sends, references)]

    def _row(self, sends, references):
        seconds = statistics.median(one.seconds for one in sends)
        least = statistics.median(one.seconds for one in references)
        quiet = statistics.median(one.quiet_p99 for one in sends)
        busy = statistics.median(one.p99 for one in sends)
        figures = [{field: round(value, 3) for field, value in dataclasses.asdict(best).items()} for best in (
            min(sends, key=lambda one: abs(one.seconds - seconds)),
            min(references, key=lambda one: abs(one.seconds - least)))]
        return Row("P7", f"/v1: send to a tag with {self.recipients:,} recipients", [
            Claim(f"rate {number(self.recipients / seconds)}/s",
                  statistics.median(theirs.seconds / mine.seconds for mine, theirs in zip(sends, references)), 0.7,
                  f"one statement {number(self.recipients / least)}/s", at_least=True),
            Claim(f"p99 of {RATE} lists/s beside it {number(busy)} ms",
                  statistics.median(one.p99 / one.quiet_p99 for one in sends), 2, f"before it {number(quiet)} ms"),
            Claim(f"CPU {number(statistics.median(one.cpu for one in sends))} us a recipient",
                  statistics.median(mine.cpu / theirs.cpu for mine, theirs in zip(sends, references)),
                  reference=f"one statement {number(statistics.median(one.cpu for one in references))} us"),
        ], *figures, errors=sum(one.errors for one in sends))

    def _send(self):
        """Lists at a steady rate; after a while a send, until all have it."""
        window = max(4, self.stage.seconds)
        with self.stage.server(self.dataset) as server, Connection(server.port) as backend:
            # Once, so that none of those that are timed is the first of its inbox.
            self.lists.exchange_all(server.port)
            with Steady(server.port, self.lists, RATE) as steady:
                time.sleep(window + 1)  # a second for connections and caches
                start = time.monotonic()
                with Meter(self.stage.cluster, server) as meter:
                    message = self._deliver(backend)
                end = time.monotonic()
            quiet = steady.p99(start - window, start)
            found = FanOut(end - start, meter.cpu / self.recipients, steady.p99(start, end), quiet, steady.errors)
        self._check(message)
        self.dataset.take_back(message)
        return found

    def _deliver(self, backend):
        status, _, body = backend.exchange(self.app.send_request({"tag": "crowd"}))
        if status != 202:
            raise SystemExit(f"bench: P7 was answered {status}: {body[:300]!r}")
        answer = json.loads(body)
        message = answer["message_id"]
        deadline = time.monotonic() + LONGEST
        # The list tells the state without counting who has it, which would be work of its own.
        newest = self.app.backend_request("GET", "/v1/messages?limit=1")
        while answer["state"] == "delivering":
            if time.monotonic() > deadline:
                raise SystemExit(f"bench: P7 was not delivered in {LONGEST} s: {answer}")
            time.sleep(POLL)
            answer, = json.loads(backend.exchange(newest)[2])["messages"]
            if answer["message_id"] != message:
                raise SystemExit(f"bench: P7 is not the newest message: {answer}")
        return message

    def _check(self, message):
        found = self.dataset.sql(
            "SELECT count(*), count(*) FILTER (WHERE i.revision >= d.added AND NOT d.deleted) FROM deliveries d"
            " JOIN inboxes i USING (app_id, inbox_id) WHERE d.message_id = :'message'", message=message)
        if found != [[str(self.recipients)] * 2]:
            raise SystemExit(f"bench: P7 has {found} deliveries, not {self.recipients}")

    def _refer(self):
        message = "reference-of-the-bench"
        self.dataset.sql(
            "INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object("
            " 'message_id', :'message', 'push', '{\"bench\":true}', 'sent_ms', martlet_now_ms()))).*"
            " FROM messages m WHERE app_id = :app LIMIT 1", message=message, app=self.app.number)
        statement = REFERENCE.format(app=self.app.number, message=message)
        with Meter(self.stage.cluster) as meter:
            seconds = self.stage.cluster.timed(statement, self.dataset.name)
        self._check(message)
        self.dataset.take_back(message)
        return FanOut(seconds, meter.cpu / self.recipients)


class Steady:
    """Requests at a rate that does not heed the answers, by a process of its own (steady.py)."""

    def __init__(self, port, requests, rate):
        self.command = [sys.executable, HERE / "steady.py", str(port), str(requests.path), str(rate)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        self.answers, _ = self.process.communicate()  # the end of its input ends it
        if self.process.returncode:
            raise SystemExit("bench: the steady load failed")
        self.answers = [json.loads(line) for line in self.answers.splitlines()]

    @property
    def errors(self):
        return sum(not 200 <= status < 300 for _, _, status in self.answers)

    def p99(self, start, end):
        """Milliseconds, of requests that were sent in this time."""
        found = sorted(seconds for at, seconds, status in self.answers if start <= at < end and 200 <= status < 300)
        return found[len(found) * 99 // 100] * 1000 if found else float("nan")
