"""What came out: the table for people, Markdown for the docs, JSON for programs."""

import dataclasses
import json
import pathlib
import statistics

START, END = "<!-- figures: scripts/bench -->", "<!-- end of figures -->"
COLUMNS = ("", "work", "figure", "reference", "ratio", "target", "met")


@dataclasses.dataclass
class Claim:
    """A figure, what it is held against, and the target of either; without a bound it is only told."""

    figure: str
    value: float = 0  # the ratio, or the figure itself where there is no reference
    bound: float | None = None
    reference: str = ""
    at_least: bool = False  # else at most
    unit: str = ""

    @property
    def met(self):
        if self.bound is None:
            return None
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def cells(self):
        ratio = f"{self.value:.2f} ×" if self.reference else ""
        unit = " ×" if self.reference else self.unit
        target = "" if self.bound is None else f"{'≥' if self.at_least else '≤'} {number(self.bound)}{unit}"
        return [self.figure, self.reference, ratio, target, {None: "", True: "yes", False: "NO"}[self.met]]


@dataclasses.dataclass
class Row:
    """A piece of work: medians over the rounds, and what is claimed of them."""

    id: str
    work: str
    claims: list
    measure: dict
    reference: dict = dataclasses.field(default_factory=dict)
    errors: int = 0
    failure: str = ""

    @staticmethod
    def failed(id, error):
        """A row that could not be measured."""
        return Row(id, "not measured", [], {}, failure=str(error).removeprefix("bench: ").partition("\n")[0])

    @property
    def met(self):
        return not self.errors and not self.failure and all(claim.met is not False for claim in self.claims)

    def json(self):
        claims = [{"figure": claim.figure, "reference": claim.reference, "value": round(claim.value, 4),
                   "bound": claim.bound, "sense": "at least" if claim.at_least else "at most", "met": claim.met}
                  for claim in self.claims]
        return {"id": self.id, "work": self.work, "met": self.met, "errors": self.errors, "failure": self.failure,
                "claims": claims, "measured": self.measure, "reference": self.reference}

    def lines(self):
        """The cells of this row's lines in a table."""
        claims = list(self.claims)
        if self.errors:
            claims.append(Claim(f"{self.errors:,} requests failed", self.errors, 0))
        if self.failure:
            claims.append(Claim(self.failure))
        names = [(self.id, self.work)] + [("", "")] * (len(claims) - 1)
        return [[*name, *claim.cells()] for name, claim in zip(names, claims)]


@dataclasses.dataclass
class Report:
    rows: list
    notes: list
    machine: list

    def table(self):
        lines = [list(COLUMNS)] + [line for row in self.rows for line in row.lines()]
        widths = [max(len(line[at]) for line in lines) for at in range(len(COLUMNS))]
        lines.insert(1, ["─" * width for width in widths])
        text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        return "\n".join([*text, "", *self.machine, *self.notes])

    def markdown(self):
        def row(cells):
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        lines = [row(COLUMNS), "|" + "---|" * len(COLUMNS)]
        lines += [row(line) for one in self.rows for line in one.lines()]
        return "\n".join([*lines, "", *(f"- {note}" for note in self.machine + self.notes), ""])

    def write_json(self, path: pathlib.Path):
        path.write_text(json.dumps({
            "rows": [row.json() for row in self.rows], "met": all(row.met for row in self.rows),
            "machine": self.machine, "notes": self.notes}, ensure_ascii=False, indent=2) + "\n")

    def write_markdown(self, path: pathlib.Path):
        """Between the marks of a page that has them, else as a page of its own."""
        page = path.read_text() if path.exists() else ""
        text = self.markdown()
        if START in page and END in page:
            text = f"{page.partition(START)[0]}{START}\n\n{text}\n{END}{page.partition(END)[2]}"
        path.write_text(text)


class Runs:
    """The measures of each round, by name."""

    def __init__(self, rounds):
        self.rounds = rounds

    def medians(self, name):
        """The median of each figure over the rounds."""
        measures = [one[name] for one in self.rounds]
        fields = [field.name for field in dataclasses.fields(measures[0]) if field.name not in ("requests", "errors")]
        return {field: round(statistics.median(getattr(one, field) for one in measures), 3) for field in fields}

    def ratio(self, name, other, figure):
        """The median over rounds of one figure as a part of another run's in the same round."""
        return statistics.median(getattr(one[name], figure) / getattr(one[other], figure) for one in self.rounds)

    def errors(self, name):
        return sum(one[name].errors for one in self.rounds)

    def row(self, id, work, name, claims, reference=None):
        return Row(id, work, claims, self.medians(name), self.medians(reference) if reference else {},
                   self.errors(name))

    def cpu(self, name):
        """A figure without a target."""
        return Claim(f"{self._cpu(name)}, {self._rate(name)}")

    def cpu_at_most(self, name, bound):
        return Claim(self._cpu(name), self.medians(name)["cpu"], bound, unit=" us")

    def cpu_against(self, name, other, bound=None, what="reference"):
        theirs = self.medians(other)["cpu"]
        return Claim(self._cpu(name), self.ratio(name, other, "cpu"), bound, f"{what} {number(theirs)} us")

    def rate_against(self, name, other, bound, what="reference"):
        theirs = self.medians(other)["rate"]
        return Claim(self._rate(name), self.ratio(name, other, "rate"), bound, f"{what} {number(theirs)}/s",
                     at_least=True)

    def _cpu(self, name):
        medians = self.medians(name)
        return f"CPU {number(medians['cpu'])} us ({number(medians['postgres_cpu'])} of PostgreSQL)"

    def _rate(self, name):
        medians = self.medians(name)
        return f"{number(medians['rate'])}/s, p99 {number(medians['p99'])} ms"


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
