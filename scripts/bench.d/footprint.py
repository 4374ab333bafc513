"""P10: memory when idle, and the time of a start."""

import time

from report import Claim, Row

STARTS = 5


class Footprint:
    ids = ("P10",)
    datasets = ("main",)

    def __init__(self, stage):
        self.stage = stage

    def rows(self):
        starts = []
        for _ in range(STARTS):
            with self.stage.server(self.stage.main) as server:
                starts.append(server.ready_after)
        with self.stage.server(self.stage.main) as server:
            time.sleep(2)  # idle is after what follows a start
            memory = server.anonymous_bytes() / 2**20
        ready = sorted(starts)[STARTS // 2]
        return [Row("P10", "footprint", [
            Claim(f"anonymous memory when idle {memory:.1f} MiB", memory, 25, unit=" MiB"),
            Claim(f"ready after {ready:.3f} s", ready, 0.3, unit=" s"),
        ], {"anonymous_mib": round(memory, 1), "ready_seconds": round(ready, 3)})]
