"""P11: what simulated devices cost the simulator itself."""

import json
import subprocess

from report import Claim, Row

QUIET = {"opens": 0, "reads": 0, "unreads": 0, "deletes": 0, "logins": 0, "offline": 0, "lists": 0, "pages": 0,
         "counts": 0, "to_tags": 0, "to_people": 0, "naming": 0, "short_lived": 0, "recalled": 0, "logged_in": 0.5,
         "to_everyone": 1}
MANY = 20_000  # devices in one process, most of them with a stream
STREAMS = 15_500  # and connections for requests: below the 16,000 that one process may have
FEW = 3_000  # devices that ask as fast as the server answers
HELD = 30  # messages that each holds: broadcasts, whose texts all share


class Devices:
    ids = ("P11",)
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage
        self.simulator = stage.martlet.with_name("simulator")

    def rows(self):
        with self.stage.server(self.stage.main, "--limit-address-connections", "1000000") as server:
            many = self.run(server, "many", MANY, 60, {"use_seconds": 60, "watching": STREAMS / MANY})
            same = self.run(server, "same", FEW, 20, {"use_seconds": 1, "watching": 0, "whole_lists": True}, rate=0.05)
            changed = self.run(server, "changed", FEW, 20, {"use_seconds": 2, "watching": 0, "whole_lists": True},
                               rate=1.5)
        memory = many["simulator"]["peak_bytes"] / MANY / 1024
        claims = [
            Claim(f"memory {memory:.1f} KiB each, with up to {HELD} messages and the process itself", memory, 16,
                  unit=" KiB"),
        ]
        measured = {"kib_each": round(memory, 2)}
        for record, name, bound, share in ((same, "304", 10_000, 0.5), (changed, "list", 2_500, 0.5)):
            rate, part = self.rate(record, name)
            claims.append(Claim(f"{rate:,.0f} checked answers a second and core, {part:.0%} of them {name}", rate, bound,
                                at_least=True, unit="/s"))
            measured[f"{name}_per_core"] = round(rate)
            if part < share:
                raise SystemExit(f"bench: only {part:.0%} of the answers were {name}")
        return [Row("P11", "simulator: devices of the library", claims, measured)]

    def run(self, server, name, devices, seconds, profile, rate=0.5, ramp=20):
        """Runs `simulator load` with an app of its own and returns its record; every inbox must be right."""
        made = subprocess.run(
            [self.stage.martlet, "app", "create", f"P11 {name} {server.port}", "--json", "--database",
             self.stage.cluster.url(self.stage.main.name), "--secret-key-file", self.stage.main.secret_key],
            check=True, capture_output=True, text=True).stdout
        apps, file, record = (self.stage.home / f"p11-{what}.json" for what in ("apps", "profile", "record"))
        apps.write_text(made)
        file.write_text(json.dumps({**QUIET, "name": f"P11 {name}", **profile}))
        done = subprocess.run(
            [self.simulator, "load", "--server", server.url, "--apps", apps, "--profile", file, "--record", record,
             "--devices", str(devices), "--streams", str(STREAMS), "--duration", str(seconds), "--rate", str(rate),
             "--ramp", str(ramp), "--quiet"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"bench: P11 {name} failed: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        return json.loads(record.read_text())

    @staticmethod
    def rate(record, name):
        """Answers for each second of the simulator's processor time while the load ran, and the part of one kind."""
        cpu = answers = kind = 0
        width = record["totals"]["timeline"]["width_s"]
        for piece in record["totals"]["timeline"]["slices"]:
            if piece["cpu"]["samples"]:
                cpu += piece["cpu"]["sum"] / piece["cpu"]["samples"] * width
                requests = sum(piece["requests"].values())
                answers += requests
                kind += piece["not_modified"] if name == "304" else piece["requests"].get(name, 0) - piece["not_modified"]
        return answers / cpu, kind / answers
