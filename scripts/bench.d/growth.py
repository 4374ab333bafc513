"""P9: what P1 to P3 cost where there is much data, and what an inbox with a long past costs."""

from apis import APIS, list_all
from data import HELD
from load import Requests
from report import Runs
from reads import Views
from stage import AGED, say

ASKED = 20_000  # inboxes that are asked for, if there are so many
# Every list is rendered anew, so that few inboxes are enough.
NO_VIEWS = ("--limit-view-cache-bytes", "0")
WORK = {"P1": "refresh, nothing changed (304)", "P2": f"list of {HELD}, unchanged", "P3": f"list of {HELD}, rendered"}


class Growth:
    ids = ("P9",)
    datasets = ("small", "large")

    def __init__(self, stage):
        self.stage = stage

    def rows(self):
        self.views = {}
        for name in self.datasets:
            dataset = getattr(self.stage, name)
            dataset.tidy()
            self.views[name] = Views(self.stage, dataset, ASKED)
            self.views[name].prime()
        self._prime_aged()
        runs = Runs([self._round(number) for number in self.stage.rounds])
        few, many = (f"{self.views[name].app.inboxes:,}" for name in self.datasets)
        rows = []
        for api in APIS:
            for work in WORK:
                large, small = f"{work} {api.key} large", f"{work} {api.key} small"
                rows.append(runs.row("P9", f"{api.name}: {WORK[work]}, {many} inboxes × {HELD}", large, [
                    runs.cpu_against(large, small, 1.3, f"{few} inboxes")], small))
        for api in APIS:
            for work in ("P1", "P3"):
                aged, fresh = f"{work} {api.key} aged", f"{work} {api.key} fresh"
                rows.append(runs.row(
                    "P9", f"{api.name}: {WORK[work]}, {self.stage.large.GONE:,} deleted", aged, [
                        runs.cpu_against(aged, fresh, 1.2, "fresh inbox")], fresh))
        return rows

    def _prime_aged(self):
        """Requests for inboxes with a long past and for as many without, by age, work and API."""
        app, dataset = self.stage.large.apps["aged"], self.stage.large
        inboxes = {"aged": range(1, AGED + 1), "fresh": range(AGED + 1, 2 * AGED + 1)}
        self.requests = {}
        with self.stage.server(dataset) as server:
            for age, those in inboxes.items():
                for api in APIS:
                    def add(work, requests, status):
                        self.requests[age, work, api.key] = Requests(
                            self.stage.home, f"P9-{age}-{work}-{api.key}", requests, status)

                    validators = list_all(api, app, those, server.port)
                    add("P1", [api.list(app, one, validators[one]) for one in those], 304)
                    add("P3", [api.list(app, one) for one in those], 200)

    def _round(self, number):
        say(f"P9, round {number + 1} of {len(self.stage.rounds)} …")
        found = {}
        for name, views in self.views.items():
            with self.stage.server(views.dataset) as server:
                views.render_kept(server)
                for work in ("P1", "P2"):
                    for api in APIS:
                        found[f"{work} {api.key} {name}"] = views.load(server, work, api)
            with self.stage.server(views.dataset, *NO_VIEWS) as server:
                for api in APIS:
                    # The messages' own bytes are in memory before it counts, few or many as they are.
                    views.load(server, "P3", api)
                    found[f"P3 {api.key} {name}"] = views.load(server, "P3", api)
        with self.stage.server(self.stage.large, *NO_VIEWS) as server:
            for (age, work, key), requests in self.requests.items():
                found[f"{work} {key} {age}"] = self.stage.load(server, requests, max(1, self.stage.seconds // 2))
        return found
