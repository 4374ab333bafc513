"""P6: messages to everyone, where many devices are known and where few are."""

import json

from load import Requests
from report import Runs
from sends import person_sends
from stage import say

BROADCASTS = 1_000


class Broadcasts:
    ids = ("P6",)
    datasets = ("small", "large")

    def __init__(self, stage):
        self.stage = stage

    def rows(self):
        self.requests = {}
        for dataset in (self.stage.small, self.stage.large):
            dataset.tidy()
            dataset.mark_dirty()
            app = dataset.apps["bench"]

            def reaches_all(body, inboxes=app.inboxes):
                return json.loads(body)["recipients"] == inboxes

            broadcasts = [app.send_request("all", number) for number in range(BROADCASTS)]
            self.requests["broadcast", dataset.name] = Requests(
                self.stage.home, f"P6-{dataset.name}", broadcasts, 202, reaches_all)
            self.requests["send", dataset.name] = person_sends(self.stage, dataset, f"P6-send-{dataset.name}")
        say("sending to people before P6 is measured …")
        for dataset in (self.stage.small, self.stage.large):
            self._load("send", dataset)  # see Marks: pages are written to before it counts
        runs = Runs([self._round(number) for number in self.stage.rounds])
        few, many = (f"{dataset.apps['bench'].inboxes:,}" for dataset in (self.stage.small, self.stage.large))
        return [
            runs.row("P6", f"/v1: broadcast to {many} devices", "broadcast large", [
                runs.cpu_against("broadcast large", "send large", 3, "send to one"),
                runs.cpu_against("broadcast large", "broadcast small", 1.2, f"with {few} devices")], "send large"),
        ]

    def _round(self, number):
        say(f"P6, round {number + 1} of {len(self.stage.rounds)} …")
        found = {}
        for kind in ("broadcast", "send"):
            for size, dataset in (("small", self.stage.small), ("large", self.stage.large)):
                found[f"{kind} {size}"] = self._load(kind, dataset)
        return found

    def _load(self, kind, dataset):
        with self.stage.server(dataset) as server:
            return self.stage.load(server, self.requests[kind, dataset.name])
