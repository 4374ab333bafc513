"""P1 to P3: refreshes and lists, in both APIs."""

from apis import APIS, Connection, list_all
from data import HELD
from load import CHEAPEST_CLIENTS, CLIENTS, Requests
from references import Script, only
from report import Runs
from stage import say

ASKED = 50_000  # inboxes that are asked for, picked at random from all
KEPT = 1000  # inboxes that P2 asks for again and again; about 20 MB, well within the cache of views


class Views:
    """What an app's devices ask for, as requests of each API: `P1`, `P2` and `P3`."""

    def __init__(self, stage, dataset, asked=ASKED):
        self.stage = stage
        self.dataset = dataset
        self.app = dataset.apps["bench"]
        self.asked = stage.random.sample(self.app.readers, min(asked, len(self.app.readers)))
        kept = min(KEPT, len(self.asked) // 5)
        self.kept, self.fresh = self.asked[:kept], self.asked[kept:]
        self.requests = {}
        self.validators = {}

    def prime(self):
        """Lists every inbox once, so that its validators are known and its date is stored."""
        say(f"listing {len(self.asked):,} inboxes of {self.dataset.name} in both APIs …")
        with self.dataset.hasty(), self.stage.server(self.dataset) as server:
            for api in APIS:
                self.validators[api.key] = list_all(api, self.app, self.asked, server.port)
        for api in APIS:
            validators = self.validators[api.key]

            def is_list(body, api=api):
                return body.count(api.of_each_message) == HELD

            self._add("P1", api, [api.list(self.app, one, validators[one]) for one in self.asked], 304)
            self._add("P2", api, [api.list(self.app, one) for one in self.kept], 200, is_list)
            self._add("P3", api, [api.list(self.app, one) for one in self.fresh], 200, is_list)

    def render_kept(self, server):
        """Lists what P2 asks for, so that it has been rendered here."""
        with Connection(server.port) as connection:
            for api in APIS:
                for inbox in self.kept:
                    connection.exchange(api.list(self.app, inbox))

    def load(self, server, name, api):
        return self.stage.load(server, self.requests[name, api.key])

    def _add(self, name, api, requests, status, is_right=lambda body: True):
        self.requests[name, api.key] = Requests(
            self.stage.home, f"{self.dataset.name}-{name}-{api.key}", requests, status, is_right)


def livez(stage):
    """Requests that ask nothing of PostgreSQL."""
    return Requests(stage.home, "livez", [b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], 200)


class Reads:
    ids = ("P1", "P2", "P3")
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage
        self.dataset = stage.main

    def rows(self):
        self.dataset.tidy()
        self.views = Views(self.stage, self.dataset)
        self.views.prime()
        self.livez = livez(self.stage)
        self.scripts = self._scripts()
        runs = Runs([self._round(number) for number in self.stage.rounds])
        rows = []
        for api in APIS:
            one, two, three = (f"{name} {api.key}" for name in self.ids)
            rows += [
                runs.row("P1", f"{api.name}: refresh, nothing changed (304)", one, [
                    runs.cpu_at_most(one, 50),
                    runs.rate_against(one, "livez", 0.35, "/livez"),
                    runs.rate_against(one, f"{one} reference", 0.9)], f"{one} reference"),
                runs.row("P2", f"{api.name}: list of {HELD}, unchanged since last rendered", two, [
                    runs.cpu_at_most(two, 52),
                    runs.rate_against(two, f"{three} reference", 1.2, "P3's reference")], f"{three} reference"),
                runs.row("P3", f"{api.name}: list of {HELD}, never rendered here", three, [
                    runs.cpu_against(three, f"{three} cheapest", 1.6)], f"{three} cheapest")]
        livez_cpu = runs.medians("livez")
        self.stage.notes.append(f"/livez takes {livez_cpu['cpu']:.1f} us and reached {livez_cpu['rate']:,.0f}/s.")
        return sorted(rows, key=lambda row: row.id)

    def _scripts(self):
        """References by name; statements of a server that has rendered nothing yet."""
        scripts = {}
        app, cluster = self.views.app, self.stage.cluster
        with self.stage.server(self.dataset) as server, Connection(server.port) as connection:
            for api, inbox in zip(APIS, self.views.fresh):
                confirmed = api.list(app, inbox, self.views.validators[api.key][inbox])
                refresh = cluster.statements(lambda: connection.exchange(confirmed))
                listing = cluster.statements(lambda: connection.exchange(api.list(app, inbox)))
                key = f"\\set i random({app.readers.start}, {app.readers[-1]})", key_of(app)
                expressions = {str(app.number): ":app", str(app.user_key(inbox)): ":key"}
                credential = only(refresh, f"P1 of {api.name}", lambda sql: "password_digest" in sql)
                scripts[f"P1 {api.key}"] = Script(key, [credential], expressions, app).as_lookup()
                rows = only(listing, f"P3 of {api.name}", lambda sql: "FROM deliveries" in sql)
                scripts[f"P3 {api.key}"] = Script(key, [rows], expressions, app)
        return scripts

    def _round(self, number):
        say(f"P1 to P3, round {number + 1} of {len(self.stage.rounds)} …")
        found = {}
        with self.stage.server(self.dataset) as server:
            self.views.render_kept(server)
            found["livez"] = self.stage.load(server, self.livez)
            for name in self.ids:
                for api in APIS:
                    found[f"{name} {api.key}"] = self.views.load(server, name, api)
                if name != "P2":
                    self._references(name, found)
        for api in APIS:
            if found[f"P3 {api.key}"].requests > len(self.views.fresh):
                self.stage.notes.append(
                    f"P3 of {api.name}: {found[f'P3 {api.key}'].requests:,} requests for {len(self.views.fresh):,} "
                    "inboxes: too good; use more --inboxes or fewer --seconds.")
        return found

    def _references(self, name, found):
        """One run for both APIs where they send the same statement."""
        runs = {}
        for api in APIS:
            script = self.scripts[f"{name} {api.key}"]
            if script.text not in runs:
                runs[script.text] = [self.stage.reference(self.dataset, script, CLIENTS)]
                if name == "P3":
                    runs[script.text].append(self.stage.reference(self.dataset, script, CHEAPEST_CLIENTS))
            found[f"{name} {api.key} reference"] = runs[script.text][0]
            found[f"{name} {api.key} cheapest"] = runs[script.text][-1]


def key_of(app):
    """The pgbench command that makes `key` of the inbox `i`."""
    return f"\\set key :i * {app.user_key(1) - app.user_key(0)} + {app.user_key(0)}"
