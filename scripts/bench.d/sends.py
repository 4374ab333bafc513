"""P5: messages to one named user each."""

import json

from apis import Connection
from load import CLIENTS, Requests
from references import Script, transaction_of
from report import Runs
from stage import say

SENDS = 20_000  # different requests, each to another person


def person_sends(stage, dataset, name):
    """Requests that send a message to a person each, picked at random."""
    app = dataset.apps["bench"]
    people = app.people()
    inboxes = stage.random.sample(people, min(SENDS, len(people)))
    requests = [app.send_request({"named_user": f"person-{inbox}"}, inbox) for inbox in inboxes]
    return Requests(stage.home, name, requests, 202, lambda body: json.loads(body)["recipients"] == 1)


class Sends:
    ids = ("P5",)
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage
        self.dataset = stage.main

    def rows(self):
        self.dataset.tidy()
        self.dataset.mark_dirty()
        self.app = self.dataset.apps["bench"]
        self.requests = person_sends(self.stage, self.dataset, "P5")
        self.script = self._record()
        self.stage.reference(self.dataset, self.script, CLIENTS)  # see Marks: pages are written to before it counts
        runs = Runs([self._round(number) for number in self.stage.rounds])
        return [runs.row("P5", "/v1: send to one named user, durable", "P5", [
            runs.rate_against("P5", "P5 reference", 0.5),
            runs.cpu_against("P5", "P5 reference")], "P5 reference")]

    def _record(self):
        """The statements of one send's transaction: its message, locks, delivery and cap."""
        person = self.app.people()[0]
        answers = []

        def send():
            request = self.app.send_request({"named_user": f"person-{person}"}, 0)
            answers.append(connection.exchange(request))

        with self.stage.server(self.dataset) as server, Connection(server.port) as connection:
            statements = self.stage.cluster.statements(send)
        status, _, body = answers[0]
        if status != 202:
            raise SystemExit(f"bench: P5 was answered {status}: {body[:300]!r}")
        transaction = transaction_of(statements, "P5", lambda sql: "INSERT INTO messages" in sql)
        people = self.app.people()
        setup = [f"\\set i {people.start} + 2 * random(0, {len(people) - 1})",
                 f"\\set m random(1, {2**62})"]
        message, fresh = json.loads(body)["message_id"], "lpad(:m::text, 22, 'A')"
        # pgbench sends no types, so that what `unnest` takes must have one of its own.
        expressions = {str(self.app.number): ":app", "{person-%d}" % person: "ARRAY['person-' || :i]",
                       message: fresh, "{%s}" % message: f"ARRAY[{fresh}]", "{f}": "ARRAY[false]"}
        return Script(setup, transaction, expressions, self.app, together=True)

    def _round(self, number):
        say(f"P5, round {number + 1} of {len(self.stage.rounds)} …")
        found = {}

        def load():
            with self.stage.server(self.dataset) as server:
                found["P5"] = self.stage.load(server, self.requests)

        def refer():
            found["P5 reference"] = self.stage.reference(self.dataset, self.script, CLIENTS)

        for step in (load, refer) if number % 2 == 0 else (refer, load):
            step()
            self.dataset.vacuum()
        return found
