"""P8: event streams that stay open: what each costs, how soon it hears of a change, and what others notice of them."""

import dataclasses
import resource
import statistics
import time

from apis import DeviceAPI
from data import HELD
from load import Meter
from reads import Views
from report import Claim, Row, Runs, number
from stage import say
from streams import Heard, Streams

STREAMS = 10_000  # if there are so many inboxes that others change
CHANGES = 500  # a second
ASKED = 5_000  # inboxes that refresh beside the streams
SETTLED = 2  # seconds after the last stream was opened


@dataclasses.dataclass
class Changes:
    """One run of changes, each in the inbox of a stream."""

    heard: Heard
    cpu: float  # microseconds a change, of server and PostgreSQL together, the event with it


class Events:
    ids = ("P8",)
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage
        self.dataset = stage.main

    def rows(self):
        self.dataset.tidy()
        self.dataset.mark_dirty()
        self._allow_descriptors()
        self.app = self.dataset.apps["bench"]
        self.views = Views(self.stage, self.dataset, ASKED)
        self.views.prime()
        watched = self.app.changed[:STREAMS]
        changed = watched[:CHANGES * self.stage.seconds]
        requests = [self.app.device_request(inbox, "GET", "/v1/inbox/events") for inbox in watched]
        with self.stage.server(self.dataset) as server:
            before = server.anonymous_bytes()
            say(f"P8, opening {len(watched):,} streams …")
            with Streams(server.port) as streams:
                streams.open(requests)
                time.sleep(SETTLED)
                kib = (server.anonymous_bytes() - before) / len(watched) / 1024
                idle = self._idle(server)
                changes = [self._change(server, streams, changed, round) for round in self.stage.rounds]
                self.dataset.vacuum()
                beside = [self.views.load(server, "P1", DeviceAPI) for _ in self.stage.rounds]
            alone = [self.views.load(server, "P1", DeviceAPI) for _ in self.stage.rounds]
        runs = Runs([{"beside": one, "alone": other} for one, other in zip(beside, alone)])
        return [self._row(len(watched), kib, idle, changes, runs)]

    def _idle(self, server):
        """The part of a core that streams take which only wait."""
        with Meter(self.stage.cluster, server) as meter:
            time.sleep(self.stage.seconds)
        return meter.cpu / self.stage.seconds / 1_000_000

    def _change(self, server, streams, changed, round):
        """Marks a message in each inbox, at a steady rate, until the streams have heard of it."""
        say(f"P8, round {round + 1} of {len(self.stage.rounds)} …")
        marks = [DeviceAPI.mark(self.app, inbox, HELD - 2 - round) for inbox in changed]
        with Meter(self.stage.cluster, server) as meter:
            heard = streams.change(marks, CHANGES)
        return Changes(heard, meter.cpu / heard.count)

    def _row(self, count, kib, idle, changes, runs):
        def median(figure):
            return statistics.median(figure(one) for one in changes)

        p50, p99 = median(lambda one: one.heard.p50), median(lambda one: one.heard.p99)
        request, cpu = median(lambda one: one.heard.p50_request), median(lambda one: one.cpu)
        measure = {"kib": round(kib, 2), "p50_ms": round(p50, 2), "p99_ms": round(p99, 2),
                   "p50_from_request_ms": round(request, 2), "cpu_of_change": round(cpu, 1), "idle": round(idle, 4)}
        return Row("P8", f"/v1: {count:,} event streams, {CHANGES} changes/s", [
            Claim(f"memory {kib:.1f} KiB each", kib, 8, unit=" KiB"),
            Claim(f"from commit to event {p50:.2f} ms (p50)", p50, 3, unit=" ms"),
            Claim(f"from commit to event {p99:.2f} ms (p99)", p99, 30, unit=" ms"),
            Claim(f"from request to event {request:.2f} ms (p50), CPU {number(cpu)} us"),
            Claim(f"all that wait take {100 * idle:.1f} % of a core"),
            runs.cpu_against("beside", "alone", 1.15, "P1 without them"),
        ], measure, runs.medians("alone"), errors=runs.errors("beside"))

    @staticmethod
    def _allow_descriptors():
        """For the streams here, and for the server, which inherits the limit."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 2 * STREAMS:
            raise SystemExit(f"bench: ulimit -Hn is {hard}; P8 needs {2 * STREAMS}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
