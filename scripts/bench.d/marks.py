"""P4: messages are marked read, in both APIs; and lists after such a change."""

import math

from apis import APIS, Connection, DeviceAPI
from data import HELD
from load import CLIENTS, Requests
from reads import key_of
from references import Script, only
from report import Runs
from stage import say

SLOTS = 2  # messages of each inbox that a run marks
WARM_SLOT = HELD - 6  # the first of those that are marked before anything is measured


class Marks:
    ids = ("P4",)
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage
        self.dataset = stage.main

    def rows(self):
        self.dataset.tidy()
        self.dataset.mark_dirty()
        self.app = self.dataset.apps["bench"]
        self.scripts = self._record()
        self._warm()
        runs = Runs([self._round(number) for number in self.stage.rounds])
        rows = []
        for api, work in zip(APIS, ("mark one message read, durable", "the same, answered with count and cursor")):
            mine, reference = f"P4 {api.key}", f"P4 {api.key} reference"
            rows.append(runs.row("P4", f"{api.name}: {work}", mine, [
                runs.cpu_against(mine, reference, 1.0), runs.rate_against(mine, reference, 0.9),
            ], reference))
        rows.append(runs.row("P3", f"{DeviceAPI.name}: list after a change, its date stored", "P3 changed", [
            runs.cpu("P3 changed")]))
        return rows

    def _slots(self, kind, number):
        """Slots of messages for a run: each is marked once, since marking again is cheaper."""
        start = (kind * len(self.stage.rounds) + number) * SLOTS
        return range(start, start + SLOTS)

    def _warm(self):
        """The first write to a page since a checkpoint logs all of it: that would be most of what a short run costs."""
        say("marking messages before P4 is measured …")
        self.stage.reference(self.dataset, self._script(DeviceAPI, WARM_SLOT), CLIENTS, 2 * self.stage.seconds)
        self.dataset.vacuum()

    def _record(self):
        """For each API the statements of a mark, and for `/v1` of the list after it."""
        statements = {}
        inbox = self.app.changed[0]
        with self.stage.server(self.dataset) as server, Connection(server.port) as connection:
            for api, slot in zip(APIS, (HELD - 1, HELD - 2)):
                def mark():
                    status, _, body = connection.exchange(api.mark(self.app, inbox, slot))
                    if status != 200:
                        raise SystemExit(f"bench: P4 of {api.name} was answered {status}: {body[:300]!r}")

                recorded = self.stage.cluster.statements(mark)
                statements[api.key] = [only(recorded, "P4", lambda sql: "UPDATE deliveries" in sql)]
                if api is not DeviceAPI:
                    statements[api.key].append(only(recorded, "P4", lambda sql: "string_agg" in sql))
                self._check_marked(inbox, slot)
        self.recorded_inbox = inbox
        return statements

    def _check_marked(self, inbox, slot):
        unread = self.dataset.sql(
            f"SELECT unread FROM deliveries WHERE app_id = {self.app.number} AND inbox_id = {inbox}"
            f" AND message_id = '{self.app.message(inbox, slot)}'")
        if unread != [["f"]]:
            raise SystemExit("bench: a message that was marked read is unread in the database")

    def _round(self, number):
        say(f"P4, round {number + 1} of {len(self.stage.rounds)} …")
        found = {}
        for kind, api in enumerate(APIS):
            steps = [lambda: self._mark(api, kind, number, found), lambda: self._refer(api, kind, number, found)]
            # What comes second finds pages that the first has written to.
            for step in steps if number % 2 == 0 else reversed(steps):
                step()
                self.dataset.vacuum()
        return found

    def _mark(self, api, kind, number, found):
        order = list(self.app.changed)
        self.stage.random.shuffle(order)
        marks = [api.mark(self.app, inbox, slot) for slot in self._slots(2 * kind, number) for inbox in order]
        with self.stage.server(self.dataset) as server:
            name = f"P4 {api.key}"
            found[name] = self.stage.load(server, Requests(self.stage.home, name, marks, 200))
            if found[name].requests > len(marks):
                self.stage.notes.append(f"P4 of {api.name}: {found[name].requests:,} requests for {len(marks):,} "
                                        "messages: too good; use more --inboxes or fewer --seconds.")
            if api is DeviceAPI:
                changed = order[:found[name].requests]
                found["P3 changed"] = self._list_changed(server, changed)

    def _list_changed(self, server, changed):
        requests = [DeviceAPI.list(self.app, inbox) for inbox in changed]
        # Not as long, since each inbox has changed but once.
        seconds = max(1, self.stage.seconds // 4)
        measure = self.stage.load(server, Requests(self.stage.home, "P3 changed", requests, 200), seconds)
        if measure.requests > len(changed):
            self.stage.notes.append(f"P3 after a change: {measure.requests:,} requests for {len(changed):,} changed "
                                    "inboxes: too good; use more --inboxes or fewer --seconds.")
        return measure

    def _refer(self, api, kind, number, found):
        script = self._script(api, self._slots(2 * kind + 1, number).start)
        found[f"P4 {api.key} reference"] = self.stage.reference(self.dataset, script, CLIENTS)

    def _script(self, api, slot):
        """Marks messages from a slot on, each once; inboxes that follow each other are far apart, as in the load."""
        app, inboxes = self.app, self.app.changed
        stride = next(n for n in range(len(inboxes) * 5 // 8, 2 * len(inboxes)) if math.gcd(n, len(inboxes)) == 1)
        setup = [
            "\\set n :n + 1", f"\\set at :n * {CLIENTS} + :client_id",
            f"\\set i {inboxes.start} + :at * {stride} % {len(inboxes)}",
            f"\\set slot {slot} + :at / {len(inboxes)}",
            f"\\set m (:i + :slot * {app.messages // HELD}) % {app.messages}", key_of(app)]
        recorded = {app.message(self.recorded_inbox, slot) for slot in (HELD - 1, HELD - 2)}
        expressions = {str(app.number): ":app", str(app.user_key(self.recorded_inbox)): ":key"}
        expressions |= {"{%s}" % message: "ARRAY[left(md5(:m::text), 21) || 'A']" for message in recorded}
        return Script(setup, self.scripts[api.key], expressions, app)
