"""The table for people and the JSON for programs."""

import dataclasses
import statistics


@dataclasses.dataclass
class Claim:
    """A target and what was measured against it."""

    what: str
    value: float
    bound: float
    at_least: bool = False  # else at most
    unit: str = ""

    @property
    def met(self):
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    def text(self):
        sign = "≥" if self.at_least else "≤"
        return f"{self.what} {number(self.value)}{self.unit} ({sign} {number(self.bound)}) {'met' if self.met else 'NOT MET'}"


@dataclasses.dataclass
class Row:
    id: str
    work: str
    measure: dict  # medians over the rounds
    reference: dict
    claims: list

    @property
    def met(self):
        return all(claim.met for claim in self.claims)

    def json(self):
        claims = [{"what": claim.what, "value": round(claim.value, 3), "bound": claim.bound,
                   "sense": "at least" if claim.at_least else "at most", "met": claim.met} for claim in self.claims]
        return {"id": self.id, "work": self.work, "met": self.met, "claims": claims,
                "measured": self.measure, "reference": self.reference}


def medians(measures):
    """The median of each figure over several runs."""
    fields = [field.name for field in dataclasses.fields(measures[0]) if field.name != "requests"]
    return {name: round(statistics.median(getattr(one, name) for one in measures), 3) for name in fields}


def median_ratio(tops, bottoms, figure):
    """The median over rounds of one figure as a part of another run's in the same round."""
    return statistics.median(getattr(top, figure) / getattr(bottom, figure) for top, bottom in zip(tops, bottoms))


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def table(rows, notes):
    lines = [f"{'':4} {'work':44} {'CPU us':>8} {'of PG':>7} {'rate/s':>8} {'p99 ms':>7} {'reference':>18}"]
    for row in rows:
        measure, reference = row.measure, row.reference
        against = f"{reference['cpu']:.0f} us {number(reference['rate'])}/s" if reference else ""
        figures = (f"{measure['cpu']:8.1f} {measure['postgres_cpu']:7.1f} {number(measure['rate']):>8} "
                   f"{measure['p99']:7.1f}" if "cpu" in measure else " " * 33)
        lines.append(f"{row.id:4} {row.work:44} {figures} {against:>18}")
        lines += [f"{'':9}{claim.text()}" for claim in row.claims]
    return "\n".join(lines + [""] + notes)
